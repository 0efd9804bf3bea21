"use client";

import { useQuery } from "@tanstack/react-query";
import { Pin, PinOff } from "lucide-react";
import { useMemo, useState } from "react";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Input } from "@/components/kit/input";
import { TruncateMiddle } from "@/components/kit/truncate";
import { ChartSurface } from "@/components/plots/chart-surface";
import { LaneCanvas } from "@/components/plots/lane-canvas";
import { useAddress } from "@/components/recording/session/address";
import { labelWidth, type RecordingTopic } from "@/components/recording/session/query";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";
import { smoothed } from "./density-heat";
import { FilmLane, getFilmHeight } from "./film-lane";
import { Lane } from "./lane";
import { findRows } from "./row-window";

type Density = Outputs["recordings"]["densities"]["topics"][number];

const rowHeight = 22;
const maxRows = 8;
/** Pixels of rows that are seen at most; half a row says that there are more. */
const maxHeight = (maxRows + 0.5) * rowHeight;
/** Rows beyond those in view that are drawn, so that scrolling finds them. */
const around = 6;
const batch = 25;

/** The message density of every topic over time. Only visible lanes are fetched and drawn; pinned ones are on top. */
export function DensityLanes() {
  const { axis, recording, left } = useTimeline();
  const [search, setSearch] = useState("");
  const [{ pins }, setAddress] = useAddress();
  const [top, setTop] = useState(0);
  const topics = useMemo(() => {
    const found = recording.topics.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
    const pinned = (topic: RecordingTopic) => (pins.includes(topic.name) ? 0 : 1);
    return found.toSorted((a, b) => pinned(a) - pinned(b));
  }, [recording.topics, search, pins]);
  const trpc = useTRPC();
  const { data: strip } = useQuery(
    trpc.recordings.filmstrip.queryOptions(
      { uid: recording.uid },
      { staleTime: Infinity, enabled: recording.topics.some(({ schema }) => isCameraSchema(schema)) },
    ),
  );
  const cameras = useMemo(() => new Map(strip?.cameras.map((camera) => [camera.topic, camera])), [strip]);
  const sizes = useMemo(
    () => topics.map(({ name }) => rowHeight + getFilmHeight(cameras.get(name))),
    [topics, cameras],
  );
  const { total, rows } = findRows(sizes, top, top + maxHeight, around);
  const toggle = (name: string) => {
    const next = pins.includes(name) ? pins.filter((each) => each !== name) : [...pins, name];
    void setAddress({ pins: next.length > 0 ? next : null });
  };
  return (
    <section aria-label="Topics over time">
      <div className="flex h-9 items-center gap-3 border-b pr-3 pl-4 max-sm:pl-2">
        <h2 className="text-meta font-medium text-muted">Topics</h2>
        <Input
          value={search}
          onValueChange={setSearch}
          placeholder={`Find among ${recording.topics.length}`}
          aria-label="Find a topic"
          className="h-7! max-w-56"
        />
        {search && (
          <span role="status" className="text-meta text-subtle">
            {topics.length} found
          </span>
        )}
      </div>
      <ChartSurface axis={axis} left={left} drag="pan">
        <div
          tabIndex={0}
          role="region"
          aria-label="Message density of topics"
          className="overflow-y-auto -outline-offset-2!"
          style={{ maxHeight }}
          onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        >
          <div className="relative" style={{ height: total }}>
            {rows.map(({ index, start, size }) => {
              const topic = topics[index];
              if (!topic) return null;
              const camera = cameras.get(topic.name);
              return (
                <div
                  key={topic.name}
                  className="absolute inset-x-0"
                  style={{ transform: `translateY(${start}px)`, height: size }}
                >
                  <DensityLane topic={topic} pinned={pins.includes(topic.name)} onPin={() => toggle(topic.name)} />
                  {strip && camera && <FilmLane strip={strip} camera={camera} />}
                </div>
              );
            })}
          </div>
        </div>
      </ChartSurface>
    </section>
  );
}

/** The topics requested together with one: neighbours by name, so that visible lanes need few requests. */
function selectBatch(topics: readonly RecordingTopic[], name: string): string[] {
  const at = topics.findIndex((topic) => topic.name === name);
  const start = Math.floor(at / batch) * batch;
  return topics.slice(start, start + batch).map((topic) => topic.name);
}

function DensityLane({ topic, pinned, onPin }: { topic: RecordingTopic; pinned: boolean; onPin: () => void }) {
  const { axis, left, recording, topic: focused, focusTopic } = useTimeline();
  const trpc = useTRPC();
  const names = useMemo(() => selectBatch(recording.topics, topic.name), [recording.topics, topic.name]);
  const { data } = useQuery(
    trpc.recordings.densities.queryOptions({ uid: recording.uid, topics: names }, { staleTime: Infinity }),
  );
  const density = data?.topics.find((each) => each.topic === topic.name);
  return (
    <Lane
      label={
        <>
          <IconButton
            label={pinned ? `Unpin ${topic.name}` : `Pin ${topic.name}`}
            aria-pressed={pinned}
            size="sm"
            className="size-5 max-sm:hidden"
            icon={pinned ? <PinOff aria-hidden className="size-3!" /> : <Pin aria-hidden className="size-3!" />}
            onClick={onPin}
          />
          <button
            type="button"
            aria-pressed={focused === topic.name}
            onClick={() => focusTopic(topic.name)}
            className={cn(
              "min-w-0 flex-1 rounded-control text-left font-mono hover:text-foreground",
              focused === topic.name && "font-medium text-accent-text",
            )}
          >
            <TruncateMiddle text={topic.name} tail={left > labelWidth.narrow ? 12 : 8} />
          </button>
        </>
      }
    >
      <LaneCanvas
        axis={axis}
        height={rowHeight - 2}
        role="img"
        aria-label={`${topic.name}: ${formatNumber(topic.frequency_hz, 1)} messages per second${density?.basis === "even" ? ", spread evenly" : ""}`}
        draw={({ context, width, palette, x }) => {
          if (!density || density.counts.length === 0) return;
          const { values: counts, peak } = computeHeat(density);
          // The truncated end belongs to the axis, but was never counted.
          const wide = axis.seconds(BigInt(data?.to ?? 0)) / counts.length;
          const first = Math.max(0, Math.floor(axis.span.from / wide));
          const last = Math.min(counts.length - 1, Math.ceil(axis.span.to / wide));
          context.fillStyle = palette.accent;
          // Buckets narrower than a pixel are joined by their busiest.
          const step = Math.max(1, Math.floor(1.5 / Math.max(1e-9, x(wide) - x(0))));
          for (let at = first - (first % step); at <= last; at += step) {
            let count = 0;
            for (let inner = at; inner < Math.min(counts.length, at + step); inner++)
              count = Math.max(count, counts[inner] ?? 0);
            if (count === 0) continue;
            // Whole pixels: halves would overlap and show as stripes.
            const from = Math.max(0, Math.round(x(at * wide)));
            context.globalAlpha = density.basis === "even" ? 0.25 : 0.2 + 0.65 * Math.sqrt(count / peak);
            context.fillRect(
              from,
              4,
              Math.max(1, Math.min(width, Math.round(x((at + step) * wide))) - from),
              rowHeight - 10,
            );
          }
          context.globalAlpha = 1;
        }}
      />
    </Lane>
  );
}

const heats = new WeakMap<Density, ReturnType<typeof smoothed>>();

function computeHeat(density: Density): ReturnType<typeof smoothed> {
  let heat = heats.get(density);
  if (heat === undefined) heats.set(density, (heat = smoothed(density.counts)));
  return heat;
}
