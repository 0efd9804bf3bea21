import { readDensities } from "@/server/features/recordings/density-queries";
import type { RecordingResource } from "@/server/features/recordings/resource";
import type { Ctx } from "@/server/platform/context";
import type { ComparedTopic, Pair } from "@/server/read-models/recordings/compared-topic";

/** Topics of one request for densities, and topics that are looked at. */
const batch = 100;
const maxTopics = 1_000;
/** A silence is longer than this many median periods, as for rules. */
const gapPeriods = 5;

/** When a topic was silent in either recording: how often, and for how long in total, in seconds. */
export interface Silence extends Pair<{ count: number; seconds: number }> {
  topic: string;
}

/**
 * Topics that are silent for long in one recording but not as often, or as long, in the other. Found in the counts of
 * messages over time, so that each silence is known to within one of their intervals.
 */
export async function findSilences(
  ctx: Ctx,
  recordings: Pair<RecordingResource>,
  common: readonly Pair<ComparedTopic>[],
): Promise<Silence[]> {
  const silences: Silence[] = [];
  for (let from = 0; from < Math.min(common.length, maxTopics); from += batch) {
    const part = common.slice(from, from + batch);
    const topics = part.map(({ a }) => a.name);
    const [first, second] = await Promise.all([
      readDensities(ctx, recordings.a.uid, { topics }),
      readDensities(ctx, recordings.b.uid, { topics }),
    ]);
    const find = ({ topics: known }: typeof first, name: string) =>
      known.find(({ topic, basis }) => topic === name && basis === "counted")?.counts;
    for (const { a, b } of part) {
      const [counts, others] = [find(first, a.name), find(second, b.name)];
      if (!counts || !others) continue;
      const widths = { a: toWidth(recordings.a, counts.length), b: toWidth(recordings.b, others.length) };
      const found = { a: sumSilences(counts, widths.a, a), b: sumSilences(others, widths.b, b) };
      const tolerance = 2 * Math.max(widths.a, widths.b) * Math.max(found.a.count, found.b.count);
      if (found.a.count === found.b.count && Math.abs(found.a.seconds - found.b.seconds) <= tolerance) continue;
      silences.push({ topic: a.name, ...found });
    }
  }
  return silences;
}

/** The seconds of one count. */
const toWidth = ({ start_ns, end_ns }: RecordingResource, counts: number): number =>
  Number(BigInt(end_ns ?? 0) - BigInt(start_ns ?? 0)) / 1e9 / Math.max(1, counts);

/** Runs of empty counts that are longer than the topic's gap limit; at least two, since one may lie between messages. */
function sumSilences(
  counts: readonly number[],
  width: number,
  { medianPeriodNs }: ComparedTopic,
): { count: number; seconds: number } {
  const least = Math.max(2 * width, (gapPeriods * Number(medianPeriodNs ?? 0n)) / 1e9);
  const found = { count: 0, seconds: 0 };
  let empty = 0;
  for (const count of [...counts, 1]) {
    if (count === 0) {
      empty++;
      continue;
    }
    if (empty * width > least) {
      found.count++;
      found.seconds += empty * width;
    }
    empty = 0;
  }
  return found;
}
