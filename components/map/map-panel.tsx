"use client";

import { Palette } from "lucide-react";
import { useEffect, useState } from "react";
import { cn } from "@/components/kit/cn";
import { formatDuration, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { TruncateMiddle } from "@/components/kit/truncate";
import type { TimeAxis } from "@/components/plots/time-axis";
import { PanelTools } from "@/components/product/panel-tools";
import { getColours } from "@/engine/messages/colour-scale";
import { toCss, type MapMark } from "./draw-map";
import type { TrackColours, TrackLine } from "./track-line";
import { TrackMap } from "./track-map";
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
  /** The field that colours the track; null for none. */
  colour: string | null;
  onColour: (colour: string | null) => void;
}

/** Where the robot was at the playhead, on its way through the recording. */
export function MapPanel({ uid, topic, axis, marks, colour, onColour }: MapPanelProps) {
  const { line, withoutFix, reason, tiles, noTiles, fields } = useTrack(uid, topic, axis, colour);
  const place = usePlace(line, axis);
  return (
    <figure aria-label={topic} className="flex h-full min-w-0 flex-col overflow-hidden bg-background">
      <figcaption className="flex h-7 shrink-0 items-center gap-2 pr-1 pl-2 text-meta text-muted">
        <TruncateMiddle text={topic} className="min-w-0 flex-1" />
        {line && <span className="shrink-0 tabular-nums">{place}</span>}
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
              onPress={(seconds) => axis.play(seconds)}
              marks={marks}
              tiles={tiles}
              noTiles={noTiles}
              label={`Map of ${topic}: ${place}`}
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
            {reason}
          </p>
        )}
      </div>
    </figure>
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
function usePlace(line: TrackLine | null, axis: TimeAxis): string {
  const [text, setText] = useState("");
  useEffect(() => {
    if (!line) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setText(describePlace(line, axis.playhead ?? axis.bounds.from));
      }, textMs);
    };
    update();
    const unsubscribe = axis.subscribe(update);
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [line, axis]);
  return text;
}

function describePlace(line: TrackLine, playhead: number): string {
  const located = line.locate(playhead);
  if (located) return `${located.latitude.toFixed(6)}, ${located.longitude.toFixed(6)}`;
  const first = line.times[0] ?? 0;
  return playhead < first ? `in ${formatDuration((first - playhead) * 1000)}` : "no fix";
}
