import { isLogSchema, readLogLine, type LogLevel } from "@/engine/messages/texts/log-line";
import { readSeries } from "@/engine/signals/series";
import { unpack } from "@/server/features/recordings/packed-series";
import type { Ctx } from "@/server/platform/context";
import type { ComparedTopic } from "@/server/read-models/recordings/compared-topic";

/** More points than a series has, so that its finest level is read. */
const allPoints = 1_000_000;

/** Lines of logs by level; `unknown`: of levels that the schema does not know, or that are not stored one by one. */
export type LevelCounts = Record<LogLevel | "unknown", number>;

/**
 * The lines of all logs of a recording by level, from the stored series of their levels; null when there is no such
 * series. Samples that share a bucket are counted where they have one value.
 */
export async function countLevels(
  ctx: Ctx,
  recordingId: string,
  topics: readonly ComparedTopic[],
): Promise<LevelCounts | null> {
  const logs = topics.filter(({ schema }) => isLogSchema(schema));
  const series = await ctx.db.series.findMany({
    where: {
      recordingId,
      recording: { organizationId: ctx.organizationId },
      topic: { in: logs.map(({ name }) => name) },
      field: "level",
      kind: "number",
    },
    select: { topic: true, data: true },
  });
  if (series.length === 0) return null;
  const counts: LevelCounts = { debug: 0, info: 0, warning: 0, error: 0, fatal: 0, unknown: 0 };
  for (const { topic, data } of series) {
    const schema = logs.find(({ name }) => name === topic)?.schema ?? "";
    const window = { from: 0n, to: 2n ** 63n - 1n, points: allPoints };
    for (const [, min, max, , , count] of readSeries(await unpack(data), window).points) {
      const level = min === max ? readLogLine(schema, { level: min }).level : null;
      counts[level ?? "unknown"] += count;
    }
  }
  return counts;
}
