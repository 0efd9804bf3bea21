"use client";

import { useMemo, useState } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { formatDuration, plural } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { saveBlob } from "@/components/kit/save-file";
import { TruncateMiddle } from "@/components/kit/truncate";
import { describeAbsence, describeAge, filesGone, isStale, showTimeOfDay } from "@/components/product/panel-texts";
import { PanelTools } from "@/components/product/panel-tools";
import { UnshownMessage } from "@/components/product/unshown-message";
import type { RecordingSession } from "@/components/recording/session/recording-session";
import type { CloudChoice, CloudReport } from "@/components/recording/thread/cloud-overlay";
import type { PictureReport } from "@/components/recording/thread/picture-player";
import { isoFromNs } from "@/domain/time/nanoseconds";
import type { Overlay } from "@/engine/messages/pictures/picture-overlays";
import { findCompanions, type CompanionTopics, type PanelTopic } from "./companion-topics";
import { styleOverlays } from "./overlay-style";
import { defaultPictureConfig, isAdjusted, type PictureConfig } from "./picture-config";
import { PictureSettings } from "./picture-settings";
import { PictureStage } from "./picture-stage";
import { useCloudOverlay } from "./use-cloud-overlay";
import { useOverlays } from "./use-overlays";
import { usePictures } from "./use-pictures";
import { useTopicFrames } from "./use-topic-frames";
import { VideoNotes } from "./video-notes";

/** A topic of pictures. */
interface PictureTopic {
  name: string;
  frequency_hz: number;
}

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
  const { frame, report, shown, retry } = usePictures(session, topic.name, {
    scale: config.colour_scale,
    range: config.range,
    calibration: config.rectified ? companions.calibration : null,
  });
  const overlayTopics = useMemo(
    () => companions.overlays.filter(({ name, isNear }) => config.overlays?.includes(name) ?? isNear),
    [companions, config.overlays],
  );
  const choice = chooseCloud(config, companions);
  const cloud = useCloudOverlay(session, topic.name, shown, topics, choice);
  const drawn = report?.state === "shown" ? report : null;
  const { time = null, width = 0, height = 0 } = drawn ?? {};
  const { calibration } = companions;
  const { rectified: isRectified, hold } = config;
  const wanted = useMemo(() => {
    if (time === null || overlayTopics.length === 0) return null;
    const space = calibration === null ? null : { calibration, isRectified, width, height };
    return { topic: topic.name, time, overlays: overlayTopics, hold, space };
  }, [topic.name, time, width, height, overlayTopics, hold, calibration, isRectified]);
  const overlays = styleOverlays(useOverlays(session, wanted, topics), config);
  const age = drawn ? Number(drawn.moment - drawn.time) / 1e9 : 0;
  const stale = isStale(age, topic.frequency_hz);
  const isAhead = age < -0.05;
  const next = (report?.state === "none" ? report.first : report?.state === "failed" ? report.next : null) ?? null;
  const failed =
    report?.state === "failed"
      ? { reason: report.reason, message: report.time === null ? null : { topic: topic.name, time: report.time } }
      : null;
  const { zone } = useTimeZone();
  const text = report ? describe(report, topic.name, zone) : "Loading";
  const notes = [
    ...(drawn?.note ? [drawn.note] : []),
    ...overlays.flatMap(describeOverlay),
    ...describeCloud(cloud.report, config, choice, zone),
  ];
  const save = async () => {
    const blob = await shown.current?.save();
    if (blob && drawn) saveBlob(blob, `${topic.name.replace(/^\//, "").replaceAll("/", "-")}_${drawn.time}.png`);
  };
  return (
    <figure
      aria-label={topic.name}
      className="@container relative flex h-full min-w-0 flex-col overflow-hidden bg-background"
    >
      <figcaption className="flex h-7 shrink-0 items-center gap-2 pr-1 pl-2 text-meta text-muted">
        <TruncateMiddle text={topic.name} className="min-w-0 flex-1" />
        {/* Over the picture where the head has room only for the name and the tools. */}
        <span className="flex shrink-0 items-center gap-2 empty:hidden @max-2xs:absolute @max-2xs:top-8 @max-2xs:max-w-[calc(100%-0.5rem)] @max-2xs:flex-wrap @max-2xs:left-1 @max-2xs:z-10 @max-2xs:rounded-control @max-2xs:bg-background/90 @max-2xs:px-1">
          {drawn?.stampNote && <Badge className="shrink-0 @max-2xs:max-w-full">{drawn.stampNote}</Badge>}
          {isAdjusted(config) && <Badge className="shrink-0">adjusted</Badge>}
          {isAhead && <span className="shrink-0">in {formatDuration(-age * 1000)}</span>}
          {stale && <span className="shrink-0 text-warning-text">{describeAge(age)}</span>}
        </span>
        <span className="flex shrink-0 items-center">
          <PictureSettings
            topic={topic.name}
            config={config}
            onChange={change}
            drawn={drawn}
            companions={companions}
            colourings={cloud.report?.state === "drawn" ? cloud.report.colourings : []}
            shown={overlayTopics.map(({ name }) => name)}
            onSave={() => void save()}
          />
          <PanelTools />
        </span>
      </figcaption>
      <div className="relative min-h-0 flex-1">
        <PictureStage
          topic={topic.name}
          label={[text, ...overlays.map(countShapes), ...countPoints(cloud.report)].join(", ")}
          canvas={frame}
          drawn={drawn}
          config={config}
          overlays={overlays}
          cloudCanvas={cloud.frame}
          cloud={cloud.report}
          isStale={stale || isAhead}
          readPixel={async (x, y) => (await shown.current?.readPixel(x, y)) ?? null}
          onConfigChange={change}
        />
        {report?.state === "shown" && report.video && <VideoNotes {...report.video} />}
        {report?.state !== "shown" && (
          <div className="absolute inset-0 flex flex-wrap content-center-safe items-center justify-center gap-2 overflow-auto bg-background/90 p-3 text-center text-meta text-muted">
            <p className="max-w-full wrap-anywhere">
              {failed ? <UnshownMessage reason={failed.reason} message={failed.message} /> : text}
            </p>
            {failed?.message === null && failed.reason !== filesGone && (
              <Button size="sm" onClick={retry}>
                Try again
              </Button>
            )}
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

/** What is to be drawn over the pictures; null for nothing, and where nobody knows how the camera sees. */
function chooseCloud({ cloud, rectified }: PictureConfig, companions: CompanionTopics): CloudChoice | null {
  const { calibration, clouds } = companions;
  const found = clouds.find(({ name }) => name === cloud?.topic);
  if (cloud === null || calibration === null || found === undefined) return null;
  const { colour_by: colourBy = null, point_size: pointSize = null } = cloud;
  return {
    topic: found.name,
    frequency_hz: found.frequency_hz,
    calibration,
    isRectified: rectified,
    colourBy,
    pointSize,
  };
}

const countPoints = (report: CloudReport | null): string[] =>
  report?.state === "drawn" ? [`${plural(report.points, "point")} of ${report.topic}`] : [];

function describeCloud(
  report: CloudReport | null,
  { cloud }: PictureConfig,
  choice: CloudChoice | null,
  zone: string,
): string[] {
  // A layout may be of another recording.
  if (cloud !== null && choice === null) return [`${cloud.topic} cannot be drawn: it, or a calibration, is missing`];
  if (report === null) return [];
  const { topic } = report;
  if (report.state === "drawn") return report.notes.map((note) => `${topic}: ${note}`);
  if (report.state === "failed") return [`${topic} is not drawn: ${report.reason}`];
  return [describeAbsence(topic, report.first, null, zone)];
}

const describeOverlay = ({ topic, matches, shapes, notes }: Overlay): string[] => [
  ...(matches || shapes.length === 0 ? [] : [`${topic} belongs to another picture`]),
  ...notes.map((note) => `${topic}: ${note}`),
];

/** What a panel shows, for those who do not see it. */
function describe(report: PictureReport, topic: string, zone: string): string {
  switch (report.state) {
    case "shown":
      return `Picture of ${topic} of ${isoFromNs(report.time)}, ${report.width} × ${report.height} pixels`;
    case "none":
      if (report.keylessAt !== undefined) return describeKeyless(report.keylessAt, report.first, zone);
      return describeAbsence(topic, report.first, report.moment ?? null, zone);
    case "failed":
      return report.time === null ? report.reason : `${report.reason} (${isoFromNs(report.time)})`;
  }
}

const describeKeyless = (at: bigint, first: bigint | null, zone: string): string =>
  first === null
    ? `No keyframe near ${showTimeOfDay(at, zone)}, without which the video cannot be decoded`
    : `No keyframe before ${showTimeOfDay(at, zone)}; first at ${showTimeOfDay(first, zone)}`;
