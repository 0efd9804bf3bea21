import { isLogSchema, readLogLine, type LogLevel } from "@/engine/messages/texts/log-line";
import { readSeries } from "@/engine/signals/series";
import { readStored, type SeriesPack } from "@/server/features/stored-series/pack-service";
import { unpack } from "@/server/features/stored-series/packed-series";
import { readWhole } from "@/server/features/stored-series/series-queries";
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
  const names = logs.map(({ name }) => name);
  const series = await readStored(
    ctx,
    recordingId,
    (pack) => readPacked(pack, names),
    () => readRows(ctx, recordingId, names),
  );
  if (!series) return null;
  const counts: LevelCounts = { debug: 0, info: 0, warning: 0, error: 0, fatal: 0, unknown: 0 };
  for (const { topic, data } of series) {
    const schema = logs.find(({ name }) => name === topic)?.schema ?? "";
    const window = { from: 0n, to: 2n ** 63n - 1n, points: allPoints };
    for (const [, min, max, , , count] of readSeries(data, window).points) {
      const level = min === max ? readLogLine(schema, { level: min }).level : null;
      counts[level ?? "unknown"] += count;
    }
  }
  return counts;
}

const levelField = "level";

interface Levels {
  topic: string;
  data: Uint8Array;
}

async function readPacked(pack: SeriesPack, topics: readonly string[]): Promise<Levels[] | null> {
  const levels = topics.flatMap((topic) => pack.index.get(topic)?.get(levelField) ?? []);
  const read = await readWhole(
    pack,
    levels.filter(({ kind }) => kind === "number"),
  );
  return read.length === 0 ? null : read.map(({ series, data }) => ({ topic: series.topic, data }));
}

async function readRows(ctx: Ctx, recordingId: string, topics: string[]): Promise<Levels[] | null> {
  const rows = await ctx.db.series.findMany({
    where: {
      recordingId,
      recording: { organizationId: ctx.organizationId },
      topic: { in: topics },
      field: levelField,
      kind: "number",
    },
    select: { topic: true, data: true },
  });
  if (rows.length === 0) return null;
  return Promise.all(rows.map(async ({ topic, data }) => ({ topic, data: await unpack(data) })));
}
