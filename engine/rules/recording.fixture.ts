import { parseCondition } from "@/domain/conditions/condition-schema";
import { createEvaluation, type RecordingFacts, type RuleResult, type TopicFacts } from "@/engine/rules/evaluate";

/** Messages of a topic as `[seconds, decoded message]`, in order of time. */
export type Track = readonly (readonly [number, unknown])[];
export type Tracks = Readonly<Record<string, Track>>;
export interface TimedMessage {
  topic: string;
  time: bigint;
  value: unknown;
}

export const ns = (seconds: number): bigint => BigInt(Math.round(seconds * 1e9));
export const seconds = (time: bigint): number => Number(time) / 1e9;

function medianPeriod(track: Track): bigint | null {
  if (track.length < 3) return null;
  const periods = track
    .slice(1)
    .map(([at], index) => ns(at) - ns(track[index]![0]))
    .filter((period) => period > 0n)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return periods[Math.floor(periods.length / 2)] ?? null;
}

/** What a header scan would return for these messages; start and end default to the first and last of them. */
export function buildFacts(
  tracks: Tracks,
  options: { start?: number; end?: number; truncated?: boolean } = {},
): RecordingFacts {
  const times = Object.values(tracks).flatMap((track) => track.map(([at]) => at));
  const topics: TopicFacts[] = Object.entries(tracks).map(([topic, track]) => ({
    topic,
    messageCount: track.length,
    medianPeriodNs: medianPeriod(track),
  }));
  return {
    startTime: ns(options.start ?? Math.min(...times, 0)),
    endTime: ns(options.end ?? Math.max(...times, 0)),
    truncated: options.truncated ?? false,
    topics,
  };
}

/** All messages in the order a reader gives them: by time, then by topic. */
export function inOrder(tracks: Tracks): TimedMessage[] {
  return Object.entries(tracks)
    .flatMap(([topic, track]) => track.map(([at, value]) => ({ topic, time: ns(at), value })))
    .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0));
}

/** Evaluates conditions over messages in the given order, as rules `rule0`, `rule1`, … */
export function evaluateAll(
  conditions: readonly unknown[],
  facts: RecordingFacts,
  messages: readonly TimedMessage[],
): RuleResult[] {
  const rules = conditions.map((json, index) => ({ uid: `rule${index}`, version: 1, condition: parseCondition(json) }));
  const evaluation = createEvaluation(rules, facts);
  for (const { topic, time, value } of messages) {
    if (evaluation.wants(topic) !== "none")
      evaluation.message(topic, time, evaluation.wants(topic) === "values" ? value : undefined);
  }
  return evaluation.finish();
}

/** Evaluates one condition over a recording. */
export function evaluate(condition: unknown, tracks: Tracks, options?: Parameters<typeof buildFacts>[1]): RuleResult {
  return evaluateAll([condition], buildFacts(tracks, options), inOrder(tracks))[0]!;
}

/** Triggers of one condition over a recording, in seconds. */
export const triggers = (condition: unknown, tracks: Tracks, options?: Parameters<typeof buildFacts>[1]): number[] =>
  evaluate(condition, tracks, options).hits.map((hit) => seconds(hit.triggeredAt));

/** Start, trigger and end of each hit of one condition over a recording, in seconds. */
export const spans = (condition: unknown, tracks: Tracks, options?: Parameters<typeof buildFacts>[1]): number[][] =>
  evaluate(condition, tracks, options).hits.map((hit) => [hit.startedAt, hit.triggeredAt, hit.endedAt].map(seconds));

/** One value a period, from `from` on. */
export const every = (period: number, values: readonly unknown[], from = 0): Track =>
  values.map((value, index) => [Math.round((from + index * period) * 1e9) / 1e9, { value }] as const);

/** Messages at these instants. */
export const at = (times: readonly number[], value: unknown = {}): Track => times.map((time) => [time, value] as const);

/** Whole seconds from `from` to `to`, both included. */
export const range = (from: number, to: number, step = 1): number[] =>
  Array.from(
    { length: Math.floor((to - from) / step + 1e-9) + 1 },
    (_, index) => Math.round((from + index * step) * 1e9) / 1e9,
  );
