"use client";

import { Maximize2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { formatDuration } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { TruncateMiddle } from "@/components/kit/truncate";
import { isoFromNs } from "@/domain/time/nanoseconds";
import type { PictureReport } from "./picture-player";
import type { RecordingSession } from "./recording-session";

/** Milliseconds between two changes of the texts, while pictures change many times a second. */
const textMs = 100;

/** A topic of pictures. */
export interface PictureTopic {
  name: string;
  frequency_hz: number;
}

/** Seconds after which a picture is too old to stand for the moment: five of its topic's periods, at least two seconds. */
const getStaleAge = ({ frequency_hz: hz }: PictureTopic): number => Math.max(2, hz > 0 ? 5 / hz : 0);

/** The pictures of a topic at the playhead. */
export function PicturePanel({ session, topic }: { session: RecordingSession; topic: PictureTopic }) {
  const panel = useRef<HTMLElement>(null);
  const { frame, report } = usePictures(session, topic.name);
  const age = report?.state === "shown" ? Number(report.moment - report.time) / 1e9 : 0;
  const stale = age > getStaleAge(topic);
  const text = report ? describe(report, topic.name) : "Loading";
  return (
    <figure
      ref={panel}
      aria-label={topic.name}
      className="group flex min-w-0 flex-col overflow-hidden rounded-panel border bg-background"
    >
      <figcaption className="flex h-7 items-center gap-2 pr-1 pl-2 text-meta text-muted">
        <TruncateMiddle text={topic.name} className="min-w-0 flex-1" />
        {age < -0.05 && <span className="shrink-0">in {formatDuration(-age * 1000)}</span>}
        {stale && <span className="shrink-0 text-warning-text">{formatDuration(age * 1000)} old</span>}
        <IconButton
          label={`Show ${topic.name} on the full screen`}
          size="sm"
          icon={<Maximize2 aria-hidden />}
          onClick={() =>
            void (document.fullscreenElement ? document.exitFullscreen() : panel.current?.requestFullscreen())
          }
        />
      </figcaption>
      <div className="relative min-h-0 flex-1">
        <div
          ref={frame}
          role="img"
          aria-label={text}
          className={cn(
            "flex h-44 items-center justify-center [&>canvas]:bg-[repeating-linear-gradient(45deg,var(--color-border)_0_1px,transparent_1px_6px)] transition-opacity group-fullscreen:h-full [&>canvas]:max-h-full [&>canvas]:max-w-full [&>canvas]:object-contain",
            stale && "opacity-50",
          )}
        />
        {report?.state !== "shown" && (
          <div className="absolute inset-0 flex flex-col items-center justify-center gap-2 bg-background/90 p-3 text-center text-meta text-muted">
            <p>{text}</p>
            {report?.state === "none" && report.first !== null && (
              <Button size="sm" onClick={() => report.first !== null && session.goTo(report.first)}>
                Go to it
              </Button>
            )}
          </div>
        )}
      </div>
    </figure>
  );
}

/** Shows pictures in a canvas inside `frame`, and says what is shown. */
function usePictures(session: RecordingSession, topic: string) {
  const frame = useRef<HTMLDivElement>(null);
  const [report, setReport] = useState<PictureReport | null>(null);
  useEffect(() => {
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-hidden", "true");
    frame.current?.append(canvas);
    let newest: PictureReport | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = session.showPictures(topic, canvas, (next) => {
      newest = next;
      timer ??= setTimeout(() => {
        timer = undefined;
        setReport(newest);
      }, textMs);
    });
    return () => {
      clearTimeout(timer);
      end();
      canvas.remove();
    };
  }, [session, topic]);
  return { frame, report };
}

/** What a panel shows, for those who do not see it. */
function describe(report: PictureReport, topic: string): string {
  switch (report.state) {
    case "shown":
      return `Picture of ${topic} of ${isoFromNs(report.time)}, ${report.width} × ${report.height} pixels`;
    case "none":
      return report.first === null
        ? "No pictures in this recording"
        : `The first picture is of ${isoFromNs(report.first)}`;
    case "failed":
      return report.time === null ? report.reason : `${report.reason} (${isoFromNs(report.time)})`;
  }
}
