import path from "node:path";
import { openRecording } from "@/engine/formats/reader/reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { SignalFeed } from "@/engine/signals/signal-feed";
import { SignalsWriter, type SignalFileInfo } from "@/engine/signals/signals-writer";
import { TimeSlicer } from "@/engine/time-slicer";
import { openByteSources } from "@/server/features/recordings/file-service";
import { Spool } from "@/server/features/signals/spool";
import {
  listSignalPlaces,
  saveSignals,
  storeSignals,
  type StoredSignals,
} from "@/server/features/signals/store-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { signalCompression } from "@/server/platform/files/signal-compression";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence } from "@/server/platform/jobs/queue";
import { text } from "@/server/platform/rows";
import { removeStored } from "@/server/platform/storage/removal";
import { ObjectMissing } from "@/server/platform/storage/store";

/** Messages between two looks at the clock. */
const stride = 256;

interface Payload {
  organizationId: string;
  recordingId: string;
  prefix: string;
}

/**
 * Writes the signals of a recording that was processed without them: a Parquet file for each topic, in `signals/` beside
 * its files, or in the installation's own store when its bucket takes none. Idempotent: an attempt that was killed is done again from the
 * beginning, and files that are there already are replaced. Throws when the job should be retried.
 */
export async function writeSignals({ organizationId, recordingId, prefix }: Payload, run: JobRun): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  const places = listSignalPlaces(prefix);
  const recording = await prisma.recording.findFirst({
    where: { uid: recordingId, organizationId },
    select: { processedAt: true, signals: { select: { writtenAt: true } } },
  });
  if (!recording) {
    for (const place of places) await removeStored(place);
    return;
  }
  const { processedAt, signals } = recording;
  if (processedAt === null || (signals && signals.writtenAt >= processedAt)) return;
  const spool = await Spool.create(path.join(env.DATA_DIR, "signals", run.attempt.jobId));
  try {
    const files = await readSignals(ctx, recordingId, spool, run);
    const stored = await storeSignals(places, files, spool, run.signal);
    const kept = await finish(ctx, recordingId, stored, run);
    if (!kept) await removeStored(stored.place);
  } catch (error) {
    const reason = finalReason(error, run);
    if (reason === null) throw error;
    run.log.warn({ err: error, recording: recordingId }, "signals could not be written");
    await finish(ctx, recordingId, { place: places[0], files: [], error: reason }, run);
  } finally {
    await spool.remove();
  }
}

/** Notes why a recording has no signals, without reading it. */
export async function refuseSignals(
  { organizationId, recordingId, prefix }: Payload,
  run: JobRun,
  reason: string,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  await finish(ctx, recordingId, { place: listSignalPlaces(prefix)[0], files: [], error: reason }, run);
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

/** Saves what was stored, unless another worker took over. Resolves to false when the recording was deleted meanwhile. */
async function finish(ctx: Ctx, recordingId: string, signals: StoredSignals, run: JobRun): Promise<boolean> {
  return transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    const locked = await query(
      tx,
      { uid: text },
      Prisma.sql`select uid from recordings where uid = ${recordingId} and organization_id = ${ctx.organizationId} for share`,
    );
    if (locked.length === 0) return false;
    await saveSignals(tx, recordingId, signals);
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
