import path from "node:path";
import { openRecording } from "@/engine/formats/reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { SignalFeed } from "@/engine/signals/signal-feed";
import { createSignalFileNames } from "@/engine/signals/signal-file-name";
import { SignalsWriter, type SignalFileInfo } from "@/engine/signals/signals-writer";
import { TimeSlicer } from "@/engine/time-slicer";
import { openByteSources } from "@/server/features/recordings/file-service";
import { Spool } from "@/server/features/signals/spool";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { isServiceError } from "@/server/platform/errors";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence } from "@/server/platform/jobs/queue";
import { recordingCodecs } from "@/server/platform/recording-codecs";
import { text } from "@/server/platform/rows";
import { signalCompression } from "@/server/platform/signal-compression";
import { objectStore } from "@/server/platform/storage/current";
import { inBucket } from "@/server/platform/storage/keys";
import { removeStored } from "@/server/platform/storage/removal";
import { ObjectMissing } from "@/server/platform/storage/store";
import { storedJson, storedText } from "@/server/platform/stored-text";

/** Messages between two looks at the clock. */
const stride = 256;

interface StoredSignals extends SignalFileInfo {
  key: string;
  etag: string;
}

interface Payload {
  organizationId: string;
  recordingId: string;
  prefix: string;
}

/**
 * Writes the signals of a processed recording: a Parquet file for each topic, in `signals/` beside its files, or in the
 * installation's own store when its bucket takes none. Idempotent: an attempt that was killed is done again from the
 * beginning, and files that are there already are replaced. Throws when the job should be retried.
 */
export async function writeSignals({ organizationId, recordingId, prefix }: Payload, run: JobRun): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  const places = [`${prefix}signals/`, ...(inBucket(prefix) ? [`${inBucket(prefix)!.key}signals/`] : [])];
  const recording = await prisma.recording.findFirst({
    where: { uid: recordingId, organizationId },
    select: { processedAt: true, signals: { select: { writtenAt: true } } },
  });
  if (!recording) {
    for (const place of places) await removeStored(place);
    return;
  }
  const { processedAt, signals } = recording;
  if (processedAt === null || (signals && signals.writtenAt > processedAt)) return;
  const spool = await Spool.create(path.join(env.DATA_DIR, "signals", run.attempt.jobId));
  try {
    const files = await readSignals(ctx, recordingId, spool, run);
    const { place, stored } = await storeAll(places, files, spool, run);
    const kept = await finish(ctx, recordingId, { place, files: stored, error: null }, run);
    if (!kept) await removeStored(place);
  } catch (error) {
    const reason = finalReason(error, run);
    if (reason === null) throw error;
    run.log.warn({ err: error, recording: recordingId }, "signals could not be written");
    await finish(ctx, recordingId, { place: places[0]!, files: [], error: reason }, run);
  } finally {
    await spool.remove();
  }
}

/** Reads all messages into files of the spool. */
async function readSignals(ctx: Ctx, recordingId: string, spool: Spool, run: JobRun): Promise<SignalFileInfo[]> {
  const reader = await openRecording(await openByteSources(ctx, recordingId), await recordingCodecs());
  const writer = new SignalsWriter({ compression: signalCompression(), open: (topic) => spool.sink(topic) });
  const feed = new SignalFeed(await reader.summary(), writer);
  const slicer = new TimeSlicer(run.signal);
  for await (const batch of reader.messages({ signal: run.signal })) {
    for (let at = 0; at < batch.length; at++) {
      feed.message(batch[at]!);
      if (at % stride === 0 && slicer.isOver) await slicer.yield();
    }
  }
  feed.finish();
  return writer.finish();
}

/** Stores the files in the first place that takes them. */
async function storeAll(
  places: readonly string[],
  files: readonly SignalFileInfo[],
  spool: Spool,
  run: JobRun,
): Promise<{ place: string; stored: StoredSignals[] }> {
  for (const [attempt, place] of places.entries()) {
    const getName = createSignalFileNames();
    const stored: StoredSignals[] = [];
    try {
      for (const file of files) {
        run.signal.throwIfAborted();
        const key = `${place}${getName(file.topic)}`;
        const { etag } = await objectStore().put(key, await spool.read(file.topic), file.sizeBytes);
        stored.push({ ...file, key, etag });
      }
      return { place, stored };
    } catch (error) {
      // A bucket that is read-only refuses for good; one that is away is tried again later.
      if (attempt === places.length - 1 || !(isServiceError(error) && error.code === "invalid")) throw error;
      for (const { key } of stored) await objectStore().delete(key);
    }
  }
  throw new Error("no place for signals");
}

interface Outcome {
  place: string;
  files: readonly StoredSignals[];
  error: string | null;
}

/**
 * Writes the rows of the files, unless another worker took over. Resolves to false when the recording was deleted
 * meanwhile.
 */
async function finish(ctx: Ctx, recordingId: string, { place, files, error }: Outcome, run: JobRun): Promise<boolean> {
  return transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    const locked = await query(
      tx,
      { uid: text },
      Prisma.sql`select uid from recordings where uid = ${recordingId} and organization_id = ${ctx.organizationId} for share`,
    );
    if (locked.length === 0) return false;
    await execute(tx, Prisma.sql`delete from signal_files where recording_id = ${recordingId}`);
    const rows = files.map(({ topic, key, sizeBytes, rows: count, etag, fields }) => ({
      topic,
      storage_key: key,
      size_bytes: sizeBytes,
      row_count: count,
      etag,
      fields,
    }));
    await execute(
      tx,
      Prisma.sql`insert into signal_files (recording_id, topic, organization_id, storage_key, size_bytes, row_count, etag, fields)
        select ${recordingId}, f.topic, ${ctx.organizationId}, f.storage_key, f.size_bytes, f.row_count, f.etag, f.fields
        from jsonb_to_recordset(${storedJson(rows)}::jsonb) as f(topic text, storage_key text, size_bytes bigint,
          row_count bigint, etag text, fields jsonb)
        on conflict do nothing`,
    );
    const bytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    await execute(
      tx,
      Prisma.sql`insert into signal_sets (recording_id, organization_id, prefix, files, size_bytes, error, written_at)
        values (${recordingId}, ${ctx.organizationId}, ${place}, ${files.length}::int, ${bytes}::bigint,
          ${error === null ? null : storedText(error)}, now())
        on conflict (recording_id) do update set prefix = excluded.prefix, files = excluded.files,
          size_bytes = excluded.size_bytes, error = excluded.error, written_at = excluded.written_at`,
    );
    return true;
  });
}

/** The one-line reason of a final failure; null when the job should be retried. */
function finalReason(error: unknown, run: JobRun): string | null {
  if (error instanceof AttemptSuperseded || run.signal.aborted) return null;
  if (error instanceof RecordingError) return error.message;
  if (error instanceof ObjectMissing && run.lastAttempt) return "A file of the recording is not there any more.";
  return run.lastAttempt ? "They could not be written for an unexpected reason." : null;
}
