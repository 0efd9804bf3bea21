import path from "node:path";
import { z } from "zod";
import { maxQueryRecordings, maxQueryRows, type SignalsQuery } from "@/domain/signals/schema";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { signalTypes } from "@/engine/signals/signal-types";
import { requireKnownDevices } from "@/server/features/devices/bulk-service";
import { runQuery, type Prepared, type QueryRows } from "@/server/features/signals/query-child";
import { makeQueryFolder, QueryFiles, removeQueryFolder } from "@/server/features/signals/query-files";
import { createTable, tablePath, type SkippedRecording, type TopicFile } from "@/server/features/signals/query-tables";
import { inQueryTurn } from "@/server/features/signals/query-turn";
import type { SignalsResult } from "@/server/features/signals/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { invalid, requireCaller } from "@/server/platform/errors";
import { int8, jsonb, text } from "@/server/platform/rows";

/** Topics that one query reads at most. */
const maxTopics = 20;

const Fields = z.array(z.object({ path: z.string(), type: z.enum(signalTypes) }));
const fileRow = {
  topic: text,
  recording_id: text,
  device_id: text,
  device_name: text,
  storage_key: text,
  size_bytes: int8,
  etag: text,
  fields: jsonb(Fields),
};

/** What a query read, beside its rows. */
interface Read {
  recordings: Set<string>;
  bytes: number;
  skipped: SkippedRecording[];
}

/**
 * Runs one SELECT over the signals of recordings, each topic a table of its name. Throws `invalid("sql")` with DuckDB's
 * message or the limit that was reached, `invalid` for recordings and devices it does not have, `throttled` while others
 * run, `unavailable` without DuckDB, and `cancelled` once `signal` is aborted, which ends it wherever it is.
 */
export async function querySignals(ctx: Ctx, input: SignalsQuery, signal?: AbortSignal): Promise<SignalsResult> {
  const startedAt = performance.now();
  await requireKnown(ctx, input);
  const work = async (): Promise<SignalsResult> => {
    const folder = await makeQueryFolder();
    const read: Read = { recordings: new Set(), bytes: 0, skipped: [] };
    try {
      const result: QueryRows = await runQuery({
        sql: input.sql,
        limit: input.limit ?? maxQueryRows,
        prepare: (tables) => prepareTables(ctx, input, tables, { folder, read, signal }),
        ...(signal && { signal }),
      });
      return {
        ...result,
        row_count: result.rows.length,
        recordings: read.recordings.size,
        bytes_read: read.bytes,
        elapsed_ms: Math.round(performance.now() - startedAt),
        skipped: read.skipped,
      };
    } finally {
      await removeQueryFolder(folder);
    }
  };
  return inQueryTurn(ctx.organizationId, work, { signal });
}

/** Throws `invalid` at the field that names a recording or device which is not the organization's. */
async function requireKnown(ctx: Ctx, { recordings = [], device_ids: devices = [] }: SignalsQuery): Promise<void> {
  if (devices.length > 0) await requireKnownDevices(ctx, devices);
  const found = await ctx.db.recording.findMany({
    where: { uid: { in: recordings }, organizationId: ctx.organizationId },
    select: { uid: true },
  });
  const known = new Set(found.map(({ uid }) => uid));
  const unknown = recordings.filter((uid) => !known.has(uid));
  if (unknown.length > 0)
    throw invalid("recordings", ...unknown.slice(0, 20).map((uid) => `Invalid pk "${uid}" - object does not exist.`));
}

/** The files of topics in the recordings that were asked for, the newest first. Only this organization's. */
async function findFiles(ctx: Ctx, input: SignalsQuery, topics: readonly string[]): Promise<TopicFile[]> {
  const { recordings, device_ids: devices, since, until } = input;
  const conditions = [
    Prisma.sql`f.organization_id = ${ctx.organizationId}`,
    Prisma.sql`lower(f.topic) = any(${topics.map((topic) => topic.toLowerCase())}::text[])`,
    ...(recordings ? [Prisma.sql`r.uid = any(${recordings}::text[])`] : []),
    ...(devices ? [Prisma.sql`r.device_id = any(${devices}::text[])`] : []),
    ...(since ? [Prisma.sql`r.end_ns >= ${String(nsFromMs(since))}::bigint`] : []),
    ...(until ? [Prisma.sql`r.start_ns < ${String(nsFromMs(until))}::bigint`] : []),
  ];
  const rows = await query(
    ctx,
    fileRow,
    Prisma.sql`select f.topic, f.recording_id, r.device_id, coalesce(d.name, r.device_name) as device_name, f.storage_key,
        f.size_bytes, f.etag, f.fields
      from signal_files f join recordings r on r.uid = f.recording_id and r.organization_id = ${ctx.organizationId}
      left join devices d on d.uid = r.device_id and d.organization_id = r.organization_id
      where ${Prisma.join(conditions, " and ")}
      order by r.started_at desc, r.uid desc limit ${maxQueryRecordings * topics.length}::int`,
  );
  return rows.map((row) => ({
    topic: row.topic,
    recordingId: row.recording_id,
    deviceId: row.device_id,
    deviceName: row.device_name,
    storageKey: row.storage_key,
    sizeBytes: Number(row.size_bytes),
    etag: row.etag,
    fields: row.fields,
  }));
}

/**
 * Puts the footers of the files of the tables that a query names into its folder; resolves to the statements that make
 * the tables.
 */
async function prepareTables(
  ctx: Ctx,
  input: SignalsQuery,
  tables: readonly string[],
  { folder, read, signal }: { folder: string; read: Read; signal: AbortSignal | undefined },
): Promise<Prepared> {
  if (tables.length === 0) return { views: [], folder, fetch: async () => {} };
  if (tables.length > maxTopics) throw invalid("sql", `A query may read ${maxTopics} topics.`);
  const found = await findFiles(ctx, input, tables);
  requireCaller(signal);
  const devices = new Map<string, number>();
  for (const { deviceId } of found) if (!devices.has(deviceId)) devices.set(deviceId, devices.size);
  const views: string[] = [];
  const wanted: { file: TopicFile; at: string }[] = [];
  for (const [topicAt, table] of tables.entries()) {
    // DuckDB's names do not differ by case; where topics do, the exact one is meant.
    const topic = found.some((file) => file.topic === table)
      ? table
      : found.find((file) => file.topic.toLowerCase() === table.toLowerCase())?.topic;
    const files = found.filter((file) => file.topic === topic).slice(0, maxQueryRecordings);
    if (files.length === 0) throw invalid("sql", `There is no topic ${JSON.stringify(table)} in these recordings.`);
    const made = createTable(table, files, { topicAt, folder, devices });
    views.push(made.sql);
    read.skipped.push(...made.skipped);
    for (const file of made.files) {
      wanted.push({ file, at: tablePath(topicAt, file.recordingId, devices.get(file.deviceId) ?? 0) });
    }
  }
  const files = await QueryFiles.place(
    folder,
    wanted.map(({ file: { storageKey, etag, sizeBytes }, at }) => ({ storageKey, etag, sizeBytes, at })),
    signal,
  );
  for (const { file } of wanted) read.recordings.add(file.recordingId);
  return {
    views,
    folder: path.resolve(folder),
    fetch: async (columns) => {
      read.bytes = await files.fetch(columns);
    },
  };
}
