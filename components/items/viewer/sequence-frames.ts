import type { Outputs } from "@/components/trpc/client";

export type Sequence = Outputs["sequences"]["frames"];
type Frame = Sequence["views"][number]["frames"][number];

/** Frames a second of sequences whose files do not say when they were taken. */
const assumedHz = 10;

/** The one axis under all views of a sequence. */
export interface SequenceAxis {
  /** Seconds from the first frame. */
  times: Float64Array;
  /** Whether the files say when they were taken. */
  isTimed: boolean;
  /** For each view the frame at each place of the axis; null where it has none. */
  views: { key: string; at: (Frame | null)[] }[];
  /** Places at which a view lacks its frame. */
  missing: number[];
}

/** Nanoseconds within which frames of several views are of the same time. */
const togetherNs = 20_000_000n;

/** Lays the frames of all views on one axis: by the times of their files, else by their numbers. */
export function toAxis({ views }: Sequence): SequenceAxis {
  const all = views.flatMap(({ frames }) => frames);
  const isTimed = all.length > 0 && all.every(({ t_ns: ns }) => ns !== null);
  return isTimed ? toTimedAxis(views) : toNumberedAxis(views);
}

function toNumberedAxis(views: Sequence["views"]): SequenceAxis {
  const count = Math.max(1, ...views.map(({ frames }) => Math.max(0, ...frames.map(({ frame }) => frame)) + 1));
  const placed = views.map(({ key, frames }) => {
    const at = new Array<Frame | null>(count).fill(null);
    for (const frame of frames) at[frame.frame] = frame;
    return { key, at };
  });
  const times = Float64Array.from({ length: count }, (_, at) => at / assumedHz);
  return { times, isTimed: false, views: placed, missing: findMissing(placed, count) };
}

function toTimedAxis(views: Sequence["views"]): SequenceAxis {
  const sorted = views
    .flatMap(({ key, frames }) => frames.map((frame) => ({ key, frame, ns: BigInt(frame.t_ns ?? 0) })))
    .sort((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0));
  const places: { ns: bigint; frames: Map<string, Frame> }[] = [];
  for (const { key, frame, ns } of sorted) {
    const last = places.at(-1);
    if (last && ns - last.ns <= togetherNs && !last.frames.has(key)) last.frames.set(key, frame);
    else places.push({ ns, frames: new Map([[key, frame]]) });
  }
  const first = places[0]?.ns ?? 0n;
  const placed = views.map(({ key }) => ({ key, at: places.map(({ frames }) => frames.get(key) ?? null) }));
  return {
    times: Float64Array.from(places, ({ ns }) => Number(ns - first) / 1e9),
    isTimed: true,
    views: placed,
    missing: findMissing(placed, places.length),
  };
}

const findMissing = (views: SequenceAxis["views"], count: number): number[] =>
  Array.from({ length: count }, (_, at) => at).filter((at) => views.some((view) => view.at[at] === null));
