import { processColumns, type ColumnPass } from "@/engine/columns/pass";
import type { ByteSource } from "@/engine/formats/byte-source";
import { quoted, RecordingError } from "@/engine/formats/recording-error";
import { convertFiles, type ConvertedFiles, type ConvertOptions } from "@/server/features/conversions/service";
import { findKnownDefinitions } from "@/server/features/message-definitions/recording-service";
import { failProcessing, finishProcessing } from "@/server/features/processing/finish-service";
import { ProcessorTime } from "@/server/features/processing/processor-time";
import { Progress } from "@/server/features/processing/progress-service";
import { keepSeries } from "@/server/features/processing/stored-series-service";
import { findDamagedFile, storedBytes, withByteSources } from "@/server/features/recordings/file-service";
import { rulesInScope } from "@/server/features/rules/scope-queries";
import { ProcessedSignals } from "@/server/features/signals/pass-service";
import { ProcessedSeries, removeLeftSeries } from "@/server/features/stored-series/store-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, enqueue } from "@/server/platform/jobs/queue";
import { metrics } from "@/server/platform/metrics";
import { passHelper } from "@/server/platform/pass/pass-helper";

/** Attempts after which an unexpected failure is final; a worker shutdown does not count as a failure. */
const maxFailedAttempts = 5;

const processorTime = new ProcessorTime();

const unexpected = "Processing failed for an unexpected reason. Have the recording processed again.";
const fileMissing = "A file of the recording is not there any more.";
const damagedText = (name: string): string =>
  `The stored file ${quoted(name)} is damaged: its bytes are not those that were uploaded. What was read from it before is unchanged.`;

/**
 * Processes the files of a recording whose upload is complete, up to `ready` or `error`. Idempotent; a recording that
 * is already processed is left unchanged. `giveWay` is awaited between slices of the work. Throws when the job should be
 * retried or another worker took over.
 */
export async function processStoredRecording(
  organizationId: string,
  uid: string,
  run: JobRun,
  giveWay?: () => Promise<void>,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  const due = await findDue(ctx, uid);
  if (!due) {
    if (run.attempt.attempt > 1) await removeLeftSeries(ctx, uid, run.attempt);
    return;
  }
  try {
    await processFiles(ctx, uid, due.deviceId, run, giveWay);
  } catch (error) {
    if (error instanceof AttemptSuperseded || run.signal.aborted) throw error;
    const reason = await finalReason(ctx, uid, error, run);
    if (reason === null) throw error;
    await failProcessing(ctx, uid, reason, run.attempt);
  }
}

/** Ends processing a recording that waits for it with a reason, without reading it. */
export async function refuseRecording(
  { organizationId, recordingId }: { organizationId: string; recordingId: string },
  run: JobRun,
  reason: string,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  if (await findDue(ctx, recordingId)) await failProcessing(ctx, recordingId, reason, run.attempt);
}

/** The recording, if it waits to be processed. */
async function findDue(ctx: Ctx, uid: string): Promise<{ deviceId: string } | null> {
  const recording = await ctx.db.recording.findFirst({
    where: { uid, organizationId: ctx.organizationId },
    select: { status: true, deviceId: true, processedAt: true, errorMessage: true },
  });
  const due =
    recording?.status === "processing" || (recording?.status === "archived" && recording.errorMessage === null);
  return recording && due && !recording.processedAt ? recording : null;
}

async function processFiles(
  ctx: Ctx,
  uid: string,
  deviceId: string,
  run: JobRun,
  giveWay: (() => Promise<void>) | undefined,
): Promise<void> {
  const progress = new Progress(ctx, uid);
  const onProgress = (stage: string, done: number) => progress.report(stage, done);
  const rules = await rulesInScope(ctx, deviceId);
  const [codecs, thread] = await Promise.all([recordingCodecs(), passHelper()]);
  const intact = requireIntact(ctx, uid, { signal: run.signal, thread });
  const signals = await ProcessedSignals.create(ctx, uid, run);
  const options = {
    ...{ codecs, signal: run.signal, onProgress },
    ...(thread && { thread }),
    ...(signals && { signals: () => signals.begin() }),
    ...(giveWay && { giveWay }),
  };
  const endCpu = processorTime.start();
  let cpuSeconds = 0;
  let series: ProcessedSeries | null = null;
  try {
    const definitions = await findKnownDefinitions(ctx, uid);
    const pass = await convertAndRead(ctx, uid, { definitions, intact, signal: run.signal, onProgress }, (files) =>
      processColumns(files, rules, options),
    )
      .catch(async (error: unknown) => {
        await intact; // damage is the reason of what fails because of it
        throw error;
      })
      .finally(() => (cpuSeconds = endCpu()));
    await intact;
    await progress.flush();
    const storedSignals = (await signals?.store(pass.signals)) ?? null;
    series = await ProcessedSeries.create(ctx, uid, run);
    const stats = await keepSeries(pass, series);
    await series.store();
    const kept = await finishProcessing(
      ctx,
      uid,
      rules,
      { ...pass, cpuSeconds, storedSignals, series, stats, definitions: definitions.found },
      run.attempt,
    ).catch(async (error: unknown) => {
      // Whether any other failed transaction was committed is known to the next attempt.
      if (error instanceof AttemptSuperseded) await series?.discard();
      throw error;
    });
    if (!kept) await removeLeftSeries(ctx, uid, run.attempt);
    if (!kept && storedSignals) await removeLater(ctx, storedSignals.place);
    const { durationMs, sizeBytes, summary } = pass;
    metrics.processingDuration.observe(durationMs / 1_000);
    metrics.processedBytes.inc(sizeBytes);
    metrics.processingCpu.inc(cpuSeconds);
    const cpuMs = Math.round(cpuSeconds * 1_000);
    run.log.info(
      { recording: uid, bytes: sizeBytes, messages: summary.messageCount, ms: Math.round(durationMs), cpu_ms: cpuMs },
      "processed",
    );
  } finally {
    await progress.flush();
    await signals?.remove();
    await series?.remove();
  }
}

/** Removes what is stored below a prefix, once no backup needs it. */
const removeLater = (ctx: Ctx, prefix: string): Promise<void> =>
  transaction(ctx, (tx) => enqueue(tx, jobs.deleteStoredObjects, { prefix }));

/**
 * Rejects with a RecordingError when the stored bytes are not those that were uploaded. They are compared beside the pass,
 * whose results are kept only after it.
 */
function requireIntact(ctx: Ctx, uid: string, options: Parameters<typeof findDamagedFile>[2]): Promise<void> {
  const intact = findDamagedFile(ctx, uid, options).then((damaged) => {
    if (damaged !== null) throw new RecordingError(damagedText(damaged));
  });
  intact.catch(() => {}); // whoever awaits it handles it, once the pass is done
  return intact;
}

/** Reads the files of a recording, after those of a format that only a conversion reads were converted. */
async function convertAndRead(
  ctx: Ctx,
  uid: string,
  options: ConvertOptions,
  read: (files: ByteSource[]) => Promise<ColumnPass>,
): Promise<ColumnPass> {
  const converted = await convertFiles(ctx, uid, options);
  const { definitions } = options;
  const pass = await withByteSources(ctx, uid, read, { definitions, failures: converted.failures });
  return asUploaded(pass, converted, await storedBytes(ctx, uid));
}

/** The result of a pass over converted files, in terms of those that were uploaded. */
const asUploaded = (
  pass: ColumnPass,
  { format, truncated, warnings }: ConvertedFiles,
  sizeBytes: number,
): ColumnPass => ({
  ...pass,
  sizeBytes,
  warnings: [...new Set([...warnings, ...pass.warnings])],
  summary: {
    ...pass.summary,
    format: format ?? pass.summary.format,
    truncated: truncated || pass.summary.truncated,
  },
});

/** The one-line reason of a final failure; null when the job should be retried. */
async function finalReason(ctx: Ctx, uid: string, error: unknown, run: JobRun): Promise<string | null> {
  if (error instanceof RecordingError) return error.message;
  const last = run.lastAttempt || run.attempt.attempt >= maxFailedAttempts;
  if (error instanceof Error && error.name === "ObjectMissing") {
    const remaining = await ctx.db.recording.count({ where: { uid } });
    return remaining === 0 || last ? fileMissing : null;
  }
  if (last) run.log.error({ err: error, recording: uid }, "processing failed on its last attempt");
  return last ? unexpected : null;
}
