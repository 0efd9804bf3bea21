"use client";

import { Palette } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { cn } from "@/components/kit/cn";
import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { TruncateMiddle } from "@/components/kit/truncate";
import type { TimeAxis } from "@/components/plots/time-axis";
import { PanelTools } from "@/components/product/panel-tools";
import { UnshownMessage } from "@/components/product/unshown-message";
import type { DrawnFeatures } from "@/components/recording/thread/map-moment";
import { getColours } from "@/engine/messages/colour-scale";
import type { FixDetails } from "@/engine/messages/positions/fix";
import { toCss, type MapMark } from "./draw-map";
import { findBounds } from "./feature-drawing";
import { formatDistance } from "./map-window";
import { LocalPlane } from "./place";
import { TrackLine, type TrackColours } from "./track-line";
import { TrackMap } from "./track-map";
import { useMapMoment, type MapSource } from "./use-map-moment";
import { useTrack } from "./use-track";

/** Milliseconds between two changes of the texts, while the place changes many times a second. */
const textMs = 100;

interface MapPanelProps {
  /** The recording. */
  uid: string;
  /** A topic of a receiver of satellites. */
  topic: string;
  axis: TimeAxis;
  marks: readonly MapMark[];
  /** Reads messages of the recording. */
  source: MapSource;
  /** Topics that draw on maps. */
  features: readonly string[];
  /** Whether the topic is of a receiver of satellites, whose messages say more than where it was. */
  readsFix: boolean;
  /** The field that colours the track; null for none. */
  colour: string | null;
  onColour: (colour: string | null) => void;
}

/** Where the robot was at the playhead, on its way through the recording. */
export function MapPanel({ uid, topic, axis, marks, source, features, readsFix, colour, onColour }: MapPanelProps) {
  const isFeatures = features.includes(topic);
  const {
    line: track,
    withoutFix,
    reason,
    tiles,
    noTiles,
    onRetryTiles,
    isLocal,
    fields,
  } = useTrack(uid, topic, axis, colour);
  const moment = useMapMoment(source, readsFix ? topic : null, features, axis);
  const shapes = useMemo(() => moment.features.flatMap((each) => each.shapes), [moment.features]);
  // The map of a receiver that never had a fix is around the first place that it says.
  const [first, setFirst] = useState<FixDetails | null>(null);
  if (first === null && moment.fix !== null) setFirst(moment.fix);
  const around = useMemo(() => {
    const bounds = isFeatures ? findBounds(shapes) : first && toBounds(first);
    return bounds && TrackLine.around(bounds);
  }, [isFeatures, shapes, first]);
  const line = track ?? around;
  const located = usePlace(track, axis, isLocal);
  const place = moment.fix?.unfixed ? `${showPlace(moment.fix)}, ${moment.fix.unfixed}` : located;
  const described = describeMoment(moment);
  return (
    <figure
      aria-label={topic}
      className="@container relative flex h-full min-w-0 flex-col overflow-hidden bg-background"
    >
      <figcaption className="flex h-7 shrink-0 items-center gap-2 pr-1 pl-2 text-meta text-muted">
        <TruncateMiddle text={topic} className="min-w-8 flex-1" />
        {line && place !== "" && (
          <span className="min-w-0 truncate tabular-nums">
            {[place, describeSpeed(moment.fix)].filter(Boolean).join(", ")}
          </span>
        )}
        {fields.length > 0 && (
          <Menu
            align="end"
            items={[
              { heading: "Colour the track by" },
              { label: "Nothing", checked: colour === null, onSelect: () => onColour(null) },
              ...fields.map((field) => ({
                label: field,
                checked: colour === field,
                onSelect: () => onColour(field),
              })),
            ]}
            trigger={<IconButton label={`Colour the track of ${topic}`} size="sm" icon={<Palette aria-hidden />} />}
          />
        )}
        <PanelTools />
      </figcaption>
      <div className="relative min-h-0 flex-1">
        {line ? (
          <>
            <TrackMap
              line={line}
              axis={axis}
              onPress={track ? (seconds) => axis.play(seconds) : undefined}
              marks={marks}
              shapes={shapes}
              fix={moment.fix}
              tiles={tiles}
              noTiles={noTiles}
              onRetryTiles={onRetryTiles}
              label={[`Map of ${topic}`, [place, ...described].filter(Boolean).join("; ")].filter(Boolean).join(": ")}
            />
            {colour !== null && line.colours && <Legend field={colour} colours={line.colours} />}
            {withoutFix > 0 && (
              <p
                className={cn(
                  "absolute right-1 rounded-control bg-background/90 px-1 text-meta text-subtle",
                  tiles ? "bottom-7" : "bottom-1",
                )}
              >
                {plural(withoutFix, "message")} without a fix
              </p>
            )}
          </>
        ) : (
          <p className="absolute inset-0 flex items-center justify-center p-3 text-center text-meta text-muted">
            {isFeatures ? "Nothing of this topic can be drawn at this moment" : reason}
          </p>
        )}
        <Refused features={moment.features} />
      </div>
    </figure>
  );
}

const showPlace = ({ latitude, longitude }: { latitude: number; longitude: number }): string =>
  `${latitude.toFixed(6)}, ${longitude.toFixed(6)}`;

const toBounds = ({ latitude, longitude }: FixDetails) => ({
  south: latitude,
  north: latitude,
  west: longitude,
  east: longitude,
});

const describeSpeed = (fix: FixDetails | null): string =>
  fix === null || fix.speed === null || fix.unfixed !== null ? "" : `${formatNumber(fix.speed, 2)} m/s`;

/** What messages add to the map, in a few words. */
function describeMoment({ fix, features }: ReturnType<typeof useMapMoment>): string[] {
  const accuracy = fix?.accuracy ? [`accurate to ${formatDistance(fix.accuracy.longer)}`] : [];
  const drawn = features.filter(({ shapes }) => shapes.length > 0);
  const speed = describeSpeed(fix);
  return [
    ...(speed === "" ? [] : [speed]),
    ...accuracy,
    ...drawn.map(({ topic, shapes }) => `${plural(shapes.length, "shape")} of ${topic}`),
  ];
}

/** Lines that lie over the map at most. */
const maxRefused = 3;

/** What topics could not draw, with the reason. */
function Refused({ features }: { features: readonly DrawnFeatures[] }) {
  const failed = features.filter(({ reason }) => reason !== null).slice(0, maxRefused);
  const texts = features.flatMap(({ topic, notes }) => notes.map((text) => `${topic}: ${text}`));
  if (failed.length + texts.length === 0) return null;
  return (
    <ul
      aria-label="Not shown"
      className="pointer-events-none absolute bottom-7 left-1 max-w-4/5 rounded-control bg-background/90 px-1 text-meta text-warning-text"
    >
      {failed.map(({ topic, reason, time }) => (
        <li key={topic} className="pointer-events-auto">
          {topic}: <UnshownMessage reason={reason ?? ""} message={time === null ? null : { topic, time }} />
        </li>
      ))}
      {texts.slice(0, maxRefused - failed.length).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

/** What the colours of a track mean. */
function Legend({ field, colours: { least, most } }: { field: string; colours: TrackColours }) {
  const list = getColours("turbo");
  const stops = Array.from({ length: 9 }, (_, at) => toCss(list[Math.round((at / 8) * 255)]!)).join(", ");
  const show = (value: number) => String(Number(value.toPrecision(5)));
  return (
    <p className="absolute top-8 right-1 flex max-w-3/5 flex-col rounded-control bg-background/90 px-1 text-meta text-muted">
      <TruncateMiddle text={field} />
      <span
        aria-hidden
        className="h-1.5 rounded-control"
        style={{ backgroundImage: `linear-gradient(to right, ${stops})` }}
      />
      <span className="flex justify-between gap-2 tabular-nums">
        <span>{show(least)}</span>
        <span>{show(most)}</span>
      </span>
    </p>
  );
}

/** The place at the playhead as text. */
function usePlace(line: TrackLine | null, axis: TimeAxis, isLocal: boolean): string {
  const [text, setText] = useState("");
  useEffect(() => {
    if (!line) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setText(describePlace(line, axis.playhead ?? axis.bounds.from, isLocal));
      }, textMs);
    };
    update();
    const unsubscribe = axis.subscribe(update);
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [line, axis, isLocal]);
  return text;
}

/** The plane of degrees that stand for metres from 0°, 0°. */
const localPlane = new LocalPlane(0, 0);

function describePlace(line: TrackLine, playhead: number, isLocal: boolean): string {
  const located = line.locate(playhead);
  if (located && isLocal) {
    const { x, y } = localPlane.place(located.latitude, located.longitude);
    return `x ${formatNumber(x, 2)} m, y ${formatNumber(y, 2)} m`;
  }
  if (located) return showPlace(located);
  const first = line.times[0] ?? 0;
  return playhead < first ? `in ${formatDuration((first - playhead) * 1000)}` : "no fix";
}
