import { LRUCache } from "lru-cache";
import pMap from "p-map";
import { decodeIndex, type PackedSeries, type PackIndex } from "@/server/features/stored-series/pack-index";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { bytea, text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { ObjectMissing, storeConcurrency, type ByteRange } from "@/server/platform/storage/store";

/** Memory for indexes in one process; a field needs about this much. */
const budgetBytes = 32 * 1024 * 1024;
const fieldBytes = 300;

/** Bytes between two series that are read at once, rather than by another request. */
const maxGap = 64 * 1024;

interface KnownIndex {
  index: PackIndex;
  fields: number;
}

/** By key: objects never change. */
const known = processWide(
  "seriesIndexes",
  () =>
    new LRUCache<string, KnownIndex>({
      maxSize: budgetBytes,
      sizeCalculation: (each) => 500 + each.fields * fieldBytes,
    }),
);

/** The object with the series of a recording. */
export interface SeriesPack {
  key: string;
  index: PackIndex;
}

/** That of the last processing; what an earlier version has processed since then is in rows. */
const current = (ctx: Ctx, recordingId: string): Prisma.Sql =>
  Prisma.sql`from series_packs p join recordings r on r.uid = p.recording_id
    where p.recording_id = ${recordingId} and p.organization_id = ${ctx.organizationId}
      and (r.processed_at is null or p.written_at >= r.processed_at)`;

async function findPack(ctx: Ctx, recordingId: string): Promise<SeriesPack | null> {
  const [named] = await query(ctx, { key: text }, Prisma.sql`select p.storage_key as key ${current(ctx, recordingId)}`);
  if (!named) return null;
  const cached = known.get(named.key);
  if (cached) return { key: named.key, index: cached.index };
  const [row] = await query(
    ctx,
    { key: text, index: bytea },
    Prisma.sql`select p.storage_key as key, p.index ${current(ctx, recordingId)}`,
  );
  if (!row) return null;
  const index = await decodeIndex(row.index);
  const fields = [...index.values()].reduce((sum, { size }) => sum + size, 0);
  known.set(row.key, { index, fields });
  return { key: row.key, index };
}

/**
 * What `fromPack` makes of the stored series of a recording, and of its rows `fromRows`, which are read where there is no
 * object or it cannot be read. Both resolve to null for what they do not have. Throws `not_found` for an object that is
 * not there any more.
 */
export async function readStored<T>(
  ctx: Ctx,
  recordingId: string,
  fromPack: (pack: SeriesPack) => Promise<T | null>,
  fromRows: () => Promise<T | null>,
): Promise<T | null> {
  const pack = await findPack(ctx, recordingId);
  if (!pack) return fromRows();
  try {
    return await fromPack(pack);
  } catch (error) {
    // It was processed anew meanwhile.
    const renewed = error instanceof ObjectMissing ? await findPack(ctx, recordingId) : null;
    if (renewed && renewed.key !== pack.key) return fromPack(renewed);
    const found = await fromRows();
    if (found === null) throw error instanceof ObjectMissing ? notFound() : error;
    logFor("series").warn({ err: error, recording: recordingId }, "stored series could not be read; their rows were");
    return found;
  }
}

/** The stored bytes of series, of one with two parts both unless `parts` says otherwise. */
export async function readParts(
  { key }: SeriesPack,
  wanted: readonly { series: PackedSeries; parts?: "first" }[],
): Promise<Uint8Array[]> {
  const ranges = wanted.map(({ series, parts }): ByteRange => {
    const length = series.bytes + (parts === "first" ? 0 : (series.finest?.bytes ?? 0));
    return { start: series.offset, end: series.offset + length };
  });
  const joined = joinRanges(ranges);
  const read = await pMap(joined, (range) => readRange(key, range), { concurrency: storeConcurrency });
  return ranges.map(({ start, end }) => {
    const at = joined.findIndex((range) => range.start <= start && end <= range.end);
    const from = start - joined[at]!.start;
    return read[at]!.subarray(from, from + end - start);
  });
}

async function readRange(key: string, { start, end }: ByteRange): Promise<Uint8Array> {
  const bytes = await objectStore().readBytes(key, start, end - start);
  if (bytes.length < end - start) throw new Error(`the object ${key} is shorter than its index`);
  return bytes;
}

/** The ranges in order, those near each other joined. */
function joinRanges(ranges: readonly ByteRange[]): ByteRange[] {
  const joined: ByteRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && start - last.end <= maxGap) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}
