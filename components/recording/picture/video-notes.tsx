import { describeDropped, videoNeedsHttps } from "@/components/product/panel-texts";
import type { PictureReport } from "@/components/recording/thread/picture-player";
import { isoFromNs } from "@/domain/time/nanoseconds";

type Shown = Extract<PictureReport, { state: "shown" }>;
type VideoState = NonNullable<Shown["video"]>;

/** The time of day in UTC, as in the texts about pictures. */
const toTimeOfDay = (time: bigint): string => isoFromNs(time).slice(11, 21);

/** What is to be said of a picture of a video, over it; one whose pixels are wrong is hatched. */
export function VideoNotes({ damagedUntil, isReordered, dropped, isServed }: VideoState) {
  const isDamaged = damagedUntil !== undefined;
  const warnings = [
    isDamaged && `damaged until ${damagedUntil ? toTimeOfDay(damagedUntil) : "the next keyframe"}`,
    dropped > 0 && describeDropped(dropped),
  ].filter((text) => text !== false);
  const notes = [
    isServed && (isSecureContext ? "decoded by the server, 5 pictures/s" : videoNeedsHttps),
    isReordered && "times are within 2 frames",
  ].filter((text) => text !== false);
  return (
    <div className="pointer-events-none absolute inset-0 flex flex-wrap content-start gap-1 p-1 text-meta">
      {isDamaged && (
        <div
          aria-hidden
          className="absolute inset-0 bg-[repeating-linear-gradient(45deg,var(--color-warning-text)_0_1px,transparent_1px_12px)] opacity-60"
        />
      )}
      {warnings.map((text) => (
        <span key={text} className="relative rounded-control bg-background px-1 text-warning-text">
          {text}
        </span>
      ))}
      {notes.map((text) => (
        <span key={text} className="relative rounded-control bg-background px-1 text-muted">
          {text}
        </span>
      ))}
    </div>
  );
}
