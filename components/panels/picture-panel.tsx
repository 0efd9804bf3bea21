"use client";

import { useMemo, useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { formatDuration, plural } from "@/components/kit/format";
import { saveBlob } from "@/components/kit/save-file";
import { TruncateMiddle } from "@/components/kit/truncate";
import { PanelTools } from "@/components/product/panel-tools";
import { isoFromNs } from "@/domain/time/nanoseconds";
import type { Overlay } from "@/engine/messages/picture-overlays";
import { findCompanions, type PanelTopic } from "./companion-topics";
import { defaultPictureConfig, isAdjusted, type PictureConfig } from "./picture-config";
import type { PictureReport } from "./picture-player";
import { PictureSettings } from "./picture-settings";
import { PictureStage } from "./picture-stage";
import type { RecordingSession } from "./recording-session";
import { useOverlays } from "./use-overlays";
import { usePictures } from "./use-pictures";
import { useTopicFrames } from "./use-topic-frames";
import { VideoNotes } from "./video-notes";

/** A topic of pictures. */
interface PictureTopic {
  name: string;
  frequency_hz: number;
}

/** Seconds after which a picture is too old to stand for the moment: five of its topic's periods, at least two seconds. */
const getStaleAge = ({ frequency_hz: hz }: PictureTopic): number => Math.max(2, hz > 0 ? 5 / hz : 0);

interface PicturePanelProps {
  session: RecordingSession;
  topic: PictureTopic;
  /** All of the recording, for what belongs to the camera. */
  topics?: readonly PanelTopic[];
  /** What to begin with; with `onConfigChange`, what holds. */
  config?: PictureConfig;
  /** Called with each change of the settings, for those who store them. */
  onConfigChange?: (config: PictureConfig) => void;
}

const noTopics: readonly PanelTopic[] = [];

/** The pictures of a topic at the playhead. */
export function PicturePanel(props: PicturePanelProps) {
  const { session, topic, topics = noTopics, config: initial = defaultPictureConfig, onConfigChange } = props;
  const [own, setOwn] = useState(initial);
  // Where it is stored elsewhere, that is what counts, as when a change of it is undone.
  const config = onConfigChange ? initial : own;
  const change = (part: Partial<PictureConfig>) => (onConfigChange ?? setOwn)({ ...config, ...part });
  const frames = useTopicFrames(session, topics);
  const companions = useMemo(() => findCompanions(topic.name, topics, frames), [topic.name, topics, frames]);
  const { frame, report, shown } = usePictures(session, topic.name, {
    scale: config.colour_scale,
    range: config.range,
    calibration: config.rectified ? companions.calibration : null,
  });
  const overlayTopics = useMemo(
    () => companions.overlays.filter(({ name, isNear }) => config.overlays?.includes(name) ?? isNear),
    [companions, config.overlays],
  );
  const drawn = report?.state === "shown" ? report : null;
  const overlays = useOverlays(session, topic.name, drawn?.time ?? null, overlayTopics);
  const age = drawn ? Number(drawn.moment - drawn.time) / 1e9 : 0;
  const stale = age > getStaleAge(topic);
  const next = (report?.state === "none" ? report.first : report?.state === "failed" ? report.next : null) ?? null;
  const text = report ? describe(report, topic.name) : "Loading";
  const notes = [...(drawn?.note ? [drawn.note] : []), ...overlays.flatMap(describeOverlay)];
  const save = async () => {
    const blob = await shown.current?.save();
    if (blob && drawn) saveBlob(blob, `${topic.name.replace(/^\//, "").replaceAll("/", "-")}_${drawn.time}.png`);
  };
  return (
    <figure aria-label={topic.name} className="flex h-full min-w-0 flex-col overflow-hidden bg-background">
      <figcaption className="flex h-7 shrink-0 items-center gap-2 pr-1 pl-2 text-meta text-muted">
        <TruncateMiddle text={topic.name} className="min-w-0 flex-1" />
        {isAdjusted(config) && <Badge className="shrink-0">adjusted</Badge>}
        {age < -0.05 && <span className="shrink-0">in {formatDuration(-age * 1000)}</span>}
        {stale && <span className="shrink-0 text-warning-text">{formatDuration(age * 1000)} old</span>}
        <span className="flex shrink-0">
          <PictureSettings
            topic={topic.name}
            config={config}
            onChange={change}
            drawn={drawn}
            companions={companions}
            shown={overlayTopics.map(({ name }) => name)}
            onSave={() => void save()}
          />
          <PanelTools />
        </span>
      </figcaption>
      <div className="relative min-h-0 flex-1">
        <PictureStage
          topic={topic.name}
          label={[text, ...overlays.map(countShapes)].join(", ")}
          canvas={frame}
          drawn={drawn}
          config={config}
          overlays={overlays}
          isStale={stale}
          readPixel={async (x, y) => (await shown.current?.readPixel(x, y)) ?? null}
          onConfigChange={change}
        />
        {report?.state === "shown" && report.video && <VideoNotes {...report.video} />}
        {report?.state !== "shown" && (
          <div className="absolute inset-0 flex flex-col items-center justify-center gap-2 bg-background/90 p-3 text-center text-meta text-muted">
            <p>{text}</p>
            {next !== null && (
              <Button size="sm" onClick={() => session.goTo(next)}>
                Go to {report?.state === "failed" ? "the next keyframe" : "it"}
              </Button>
            )}
          </div>
        )}
      </div>
      {notes.length > 0 && (
        // A low panel keeps its room for the picture.
        <ul
          aria-label="Notes"
          tabIndex={0}
          className="max-h-1/3 shrink-0 overflow-y-auto border-t px-2 py-1 text-meta text-muted -outline-offset-2!"
        >
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </figure>
  );
}

const countShapes = ({ topic, shapes }: Overlay): string => `${plural(shapes.length, "shape")} of ${topic}`;

const describeOverlay = ({ topic, matches, shapes, notes }: Overlay): string[] => [
  ...(matches || shapes.length === 0 ? [] : [`${topic} belongs to another picture`]),
  ...notes.map((note) => `${topic}: ${note}`),
];

/** What a panel shows, for those who do not see it. */
function describe(report: PictureReport, topic: string): string {
  switch (report.state) {
    case "shown":
      return `Picture of ${topic} of ${isoFromNs(report.time)}, ${report.width} × ${report.height} pixels`;
    case "none":
      if (report.keylessAt !== undefined) return describeKeyless(report.keylessAt, report.first);
      return report.first === null
        ? "No pictures in this recording"
        : `The first picture is of ${isoFromNs(report.first)}`;
    case "failed":
      return report.time === null ? report.reason : `${report.reason} (${isoFromNs(report.time)})`;
  }
}

const describeKeyless = (at: bigint, first: bigint | null): string =>
  first === null
    ? `No keyframe near ${isoFromNs(at)}, without which the video cannot be decoded`
    : `No keyframe before ${isoFromNs(at)}; the first is of ${isoFromNs(first)}`;
