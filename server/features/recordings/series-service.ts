import { normalizePath, otherPath } from "@/domain/conditions/path";
import type { SeriesQuery } from "@/domain/recordings/schema";
import { readSeries, readStates, type SeriesPoint, type StateRun } from "@/engine/signals/series";
import { rawPoints, rawStates } from "@/engine/signals/series-raw";
import { requireTopic, withRecording } from "@/server/features/recordings/message-service";
import type { SeriesWindow } from "@/server/features/recordings/resource";
import { findWindowSeries, type WindowSeries } from "@/server/features/stored-series/series-queries";
import { readStoredPoints } from "@/server/features/stored-signals/points-service";
import type { Ctx } from "@/server/platform/context";
import { invalid } from "@/server/platform/errors";

/** A window with more messages of the topic than this is read from the stored series, however coarse. */
const maxRawMessages = 200_000;

interface Wanted {
  topic: string;
  field: string;
  from: bigint;
  to: bigint;
  points: number;
}

/**
 * A field over a time window: the stored level that fits the requested points or, where the finest level still merges
 * distinguishable samples, the messages themselves (`level: "raw"`), unless `storedOnly`. Throws `invalid` for a
 * topic or field the recording lacks.
 */
export async function readSeriesWindow(
  ctx: Ctx,
  recordingId: string,
  input: SeriesQuery,
  { storedOnly = false } = {},
): Promise<SeriesWindow> {
  const topic = await requireTopic(ctx, recordingId, input.topic);
  const firstNs = topic.firstNs ?? 0n;
  const lastNs = topic.lastNs ?? firstNs;
  const window = { from: input.from ?? firstNs, to: input.to ?? lastNs, points: input.points };
  const series = await findWindowSeries(ctx, recordingId, {
    topic: input.topic,
    names: listNames(input.field),
    window,
  });
  if (!series) throw invalid("field", `"${input.field.slice(0, 200)}" is not a field that can be read over time.`);
  const wanted: Wanted = { topic: input.topic, field: series.field, ...window };
  // The messages outside the topic's range are outliers.
  const messages = {
    ...wanted,
    from: wanted.from > firstNs ? wanted.from : firstNs,
    to: wanted.to < lastNs ? wanted.to : lastNs,
  };
  const affordable =
    !storedOnly && estimateMessages(messages, lastNs - firstNs, Number(topic.messageCount)) <= maxRawMessages;
  const raw = affordable ? messages : null;
  const head = {
    topic: wanted.topic,
    field: input.field,
    ...(series.unit !== null && { unit: series.unit }),
    from: String(wanted.from),
    to: String(wanted.to),
  };
  if (wanted.from > wanted.to)
    return { ...head, kind: series.kind === "state" ? "state" : "number", level: 0, points: [] };

  if (series.kind === "state") {
    const { level, states } = await readStateTrack(ctx, recordingId, series.data, wanted, raw);
    return {
      ...head,
      kind: "state",
      level,
      points: [],
      states: states.map((run) => [String(run.timeNs), run.value, run.merged]),
    };
  }
  const { level, points } = await readPoints(ctx, recordingId, series, wanted, raw);
  return { ...head, kind: "number", level, points: points.map(([time, ...values]) => [String(time), ...values]) };
}

/**
 * The names under which the series of a field may be stored: also where the path quotes keys that need no quotes, and where
 * it was stored under the other name of the nanoseconds of a time.
 */
function listNames(field: string): Set<string> {
  const names = [field, otherPath(field), normalizePath(field)];
  return new Set(names.filter((name) => name !== null));
}

/** Estimates the messages of a topic within a part of its range, assuming that they are spread evenly. */
function estimateMessages({ from, to }: Wanted, rangeNs: bigint, count: number): number {
  if (to < from) return 0;
  return rangeNs === 0n ? count : (count * Number(to - from)) / Number(rangeNs);
}

async function readPoints(
  ctx: Ctx,
  recordingId: string,
  { data, finest }: WindowSeries,
  wanted: Wanted,
  raw: Wanted | null,
): Promise<{ level: number | "raw"; points: SeriesPoint[] }> {
  const stored = readSeries(data, wanted, finest);
  if (!stored.exhausted || raw === null) return stored;
  const points =
    (await readStoredPoints(ctx, recordingId, raw)) ??
    (await withRecording(ctx, recordingId, (reader, signal) => rawPoints(reader, raw, signal)));
  return { level: "raw", points };
}

async function readStateTrack(
  ctx: Ctx,
  recordingId: string,
  data: Uint8Array,
  wanted: Wanted,
  raw: Wanted | null,
): Promise<{ level: number | "raw"; states: StateRun[] }> {
  const stored = readStates(data, wanted);
  if (raw === null || stored.every((run) => run.merged === 0)) return { level: 0, states: stored };
  const window = { ...raw, maxRuns: 2 * wanted.points };
  const states = await withRecording(ctx, recordingId, (reader, signal) => rawStates(reader, window, signal));
  return states ? { level: "raw", states } : { level: 0, states: stored };
}
