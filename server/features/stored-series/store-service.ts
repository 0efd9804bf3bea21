import path from "node:path";
import { splitSeries } from "@/engine/signals/series-parts";
import { encodeIndex, type PackedSeries, type SeriesHead } from "@/server/features/stored-series/pack-index";
import { minPackedBytes, pack } from "@/server/features/stored-series/packed-series";
import { joinPacked } from "@/server/features/stored-series/series-bytes";
import { SeriesSpool } from "@/server/features/stored-series/series-spool";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, executeBytes, query, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { enqueue, type Attempt } from "@/server/platform/jobs/queue";
import { text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { storedText } from "@/server/platform/stored-text";

/** Bytes and rows of one statement; small enough that series do not accumulate in memory. */
const statementBytes = 2 * 1024 * 1024;
const statementRows = 500;

/** What the keys of a recording's series begin with, in the own store also where its files are in a bucket. */
export const toSeriesPrefix = (organizationId: string, recordingId: string): string =>
  `recordings/${organizationId}/${recordingId}/series/`;

/** Each attempt has a key of its own, so that none replaces what another stored, and the next knows what those before left. */
const toKey = (ctx: Ctx, recordingId: string, { jobId, attempt }: Attempt): string =>
  `${toSeriesPrefix(ctx.organizationId, recordingId)}${jobId}-${attempt}`;

/** The keys of an attempt and those before it. */
const listKeys = (ctx: Ctx, recordingId: string, { jobId, attempt }: Attempt): string[] =>
  Array.from({ length: attempt }, (_, at) => toKey(ctx, recordingId, { jobId, attempt: at + 1 }));

/** An encoded series with what is known of it. */
interface EncodedSeries extends SeriesHead {
  data: Uint8Array;
}

/**
 * The series of a recording from the end of its pass to the transaction that keeps them: on the local disk, and as an
 * object of the own store. When that takes none, they become rows whatever SERIES says.
 */
export class ProcessedSeries {
  private readonly series: PackedSeries[] = [];
  private object: { key: string; etag: string } | null = null;

  private constructor(
    private readonly ctx: Ctx,
    private readonly recordingId: string,
    private readonly run: JobRun,
    private readonly spool: SeriesSpool,
  ) {}

  static async create(ctx: Ctx, recordingId: string, run: JobRun): Promise<ProcessedSeries> {
    const spool = await SeriesSpool.create(path.join(env.DATA_DIR, "series"), run.attempt, run.log);
    return new ProcessedSeries(ctx, recordingId, run, spool);
  }

  async add({ data, ...given }: EncodedSeries): Promise<void> {
    const head = { ...given, topic: storedText(given.topic), field: storedText(given.field) };
    const offset = this.spool.size;
    const parts = head.kind === "number" && data.length >= minPackedBytes ? splitSeries(data) : null;
    if (parts === null) {
      const packed = await pack(data);
      await this.spool.append(packed);
      this.series.push({ ...head, offset, bytes: packed.length, finest: null });
      return;
    }
    const [coarse, finest] = await Promise.all([pack(parts.coarse, 0), pack(parts.finest, 0)]);
    await this.spool.append(coarse);
    await this.spool.append(finest);
    this.series.push({ ...head, offset, bytes: coarse.length, finest: { ...parts.level, bytes: finest.length } });
  }

  /** Stores the object, before the transaction that names it. */
  async store(): Promise<void> {
    if (this.series.length === 0) return;
    const key = toKey(this.ctx, this.recordingId, this.run.attempt);
    try {
      const { etag } = await objectStore().put(key, this.spool.stream(), this.spool.size);
      this.object = { key, etag };
    } catch (error) {
      this.run.signal.throwIfAborted();
      this.run.log.warn({ err: error, recording: this.recordingId }, "series could not be stored; they become rows");
    }
  }

  /**
   * Replaces the series of the recording, in the transaction of `tx`, which holds its row and the attempt. What the object
   * takes the place of, and what earlier attempts left, is removed after it.
   */
  async save(tx: Ctx): Promise<void> {
    await execute(tx, Prisma.sql`delete from series where recording_id = ${this.recordingId}`);
    if (this.object === null || env.SERIES === "both") await this.insertRows(tx);
    const stale = new Set(await removePack(tx, this.recordingId));
    for (const key of listKeys(tx, this.recordingId, this.run.attempt).slice(0, -1)) stale.add(key);
    if (this.object !== null) await this.insertPack(tx, this.object);
    await enqueueRemoval(tx, [...stale]);
  }

  /** Removes what was stored and is not kept, because another attempt took over. */
  async discard(): Promise<void> {
    if (this.object !== null) await objectStore().delete(this.object.key);
  }

  async remove(): Promise<void> {
    await this.spool.remove();
  }

  private async insertPack(tx: Ctx, { key, etag }: { key: string; etag: string }): Promise<void> {
    const index = await encodeIndex(this.series);
    await executeBytes(
      tx,
      Prisma.sql`insert into series_packs (recording_id, organization_id, storage_key, size_bytes, etag, index, written_at)
        values (${this.recordingId}, ${tx.organizationId}, ${key}, ${this.spool.size}::bigint, ${etag}, ${index}::bytea, now())`,
    );
  }

  private async insertRows(tx: Ctx): Promise<void> {
    let batch: Promise<Prisma.Sql>[] = [];
    let bytes = 0;
    const write = async () => {
      if (batch.length === 0) return;
      const rows = await Promise.all(batch);
      batch = [];
      bytes = 0;
      await executeBytes(
        tx,
        Prisma.sql`insert into series (recording_id, topic, field, kind, unit, sample_count, data) values ${Prisma.join(rows)}
          on conflict do nothing`,
      );
    };
    for (const series of this.series) {
      batch.push(this.toRow(series));
      bytes += series.bytes + (series.finest?.bytes ?? 0);
      if (bytes >= statementBytes || batch.length >= statementRows) await write();
    }
    await write();
  }

  private async toRow(series: PackedSeries): Promise<Prisma.Sql> {
    const { topic, field, kind, unit, count, offset, bytes, finest } = series;
    const stored = await this.spool.read(offset, bytes + (finest?.bytes ?? 0));
    const data = finest === null ? stored : await pack(await joinPacked(series, stored));
    return Prisma.sql`(${this.recordingId}, ${topic}, ${field}, ${kind}, ${unit}, ${count}::bigint, ${data})`;
  }
}

/** Removes the row of a recording's object of series. Resolves to the keys of what it named. */
async function removePack(tx: Ctx, recordingId: string): Promise<string[]> {
  const rows = await query(
    tx,
    { key: text },
    Prisma.sql`delete from series_packs where recording_id = ${recordingId} and organization_id = ${tx.organizationId}
      returning storage_key as key`,
  );
  return rows.map(({ key }) => key);
}

async function enqueueRemoval(tx: Ctx, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await enqueue(tx, jobs.deleteStoredKeys, { keys: [...keys] });
}

/** The keys of an attempt and those before it, but what the recording names. */
async function listUnnamed(ctx: Ctx, recordingId: string, attempt: Attempt): Promise<string[]> {
  const { organizationId } = ctx;
  const row = await ctx.db.seriesPack.findUnique({
    where: { recordingId, organizationId },
    select: { storageKey: true },
  });
  return listKeys(ctx, recordingId, attempt).filter((key) => key !== row?.storageKey);
}

/**
 * Queues the removal of what an attempt of a job that failed and those before it left, in the transaction of `tx`: a
 * backup that is being made may need what an attempt stored whose recording was deleted.
 */
export async function removeFailedSeries(tx: Ctx, recordingId: string, attempt: Attempt): Promise<void> {
  await enqueueRemoval(tx, await listUnnamed(tx, recordingId, attempt));
}

/** Removes what attempts of a job left of a recording that is processed already, or was deleted meanwhile. */
export const removeLeftSeries = (ctx: Ctx, recordingId: string, attempt: Attempt): Promise<void> =>
  transaction(ctx, (tx) => removeFailedSeries(tx, recordingId, attempt));
