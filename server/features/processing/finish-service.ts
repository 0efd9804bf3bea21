import { processingVersion } from "@/domain/recordings/processing-version";
import { dateFromNs } from "@/domain/time/nanoseconds";
import type { Pass } from "@/engine/columns/pass";
import { isPictureSchema } from "@/engine/messages/pictures/picture-schemas";
import { enqueueFilmstrip } from "@/server/features/filmstrips/queue-queries";
import { replaceFound } from "@/server/features/message-definitions/recording-service";
import { replaceTopics, type SeriesStats } from "@/server/features/processing/stored-series-service";
import { storeAttachment } from "@/server/features/recordings/attachment-service";
import { replacePack } from "@/server/features/recordings/pack-service";
import { finishStatus } from "@/server/features/recordings/service";
import { applyEvaluations, type Evaluated } from "@/server/features/rules/apply-service";
import type { ActiveRule } from "@/server/features/rules/scope-queries";
import { enqueueSignals } from "@/server/features/signals/queue-service";
import { saveSignals, type StoredSignals } from "@/server/features/signals/store-service";
import { removeFailedSeries, type ProcessedSeries } from "@/server/features/stored-series/store-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query } from "@/server/platform/db";
import { fence, type Attempt } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, bool, type Native, notNull, text } from "@/server/platform/rows";
import { storedJson, storedText } from "@/server/platform/stored-text";

/** Milliseconds. Writing a large recording takes minutes; only readers of that recording wait for it. */
const transactionMs = 10 * 60_000;
const maxWarnings = 50;

const lockedRow = { device_id: text, device_name: text, tags: notNull(arrayOf(text)), demo: bool };
type Locked = Native<typeof lockedRow>;

/**
 * Runs `work` with the recording's locked row in a transaction that only the current attempt can commit. Resolves to
 * null when the recording was deleted.
 */
async function inFencedTransaction<T>(
  ctx: Ctx,
  uid: string,
  attempt: Attempt,
  work: (tx: Ctx, row: Locked) => Promise<T>,
): Promise<T | null> {
  return prisma.$transaction(
    async (db) => {
      const tx = { ...ctx, db };
      await fence(tx, attempt);
      const [row] = await query(
        tx,
        lockedRow,
        Prisma.sql`select r.device_id, r.tags, r.demo,
            coalesce((select d.name from devices d where d.uid = r.device_id), r.device_name) as device_name
          from recordings r where r.uid = ${uid} and r.organization_id = ${ctx.organizationId} for update of r`,
      );
      return row ? work(tx, row) : null;
    },
    { maxWait: 30_000, timeout: transactionMs },
  );
}

/** What a pass found out. */
export interface ProcessedPass extends Omit<Pass, "series"> {
  /** Processor time, seconds. */
  cpuSeconds: number;
  /** Null when they are still to be written. */
  storedSignals: StoredSignals | null;
  series: ProcessedSeries;
  stats: SeriesStats;
  /** Definitions of types that the recording lacks. */
  definitions: Readonly<Record<string, string>>;
}

/**
 * Stores the result of a pass in one transaction: topics, series, signals, gaps, warnings, times, and what its rules
 * bring about; then the recording is `ready`, or stays `archived`. Resolves to false when the recording was deleted
 * meanwhile. Throws `AttemptSuperseded` when another worker took over.
 */
export async function finishProcessing(
  ctx: Ctx,
  uid: string,
  rules: readonly ActiveRule[],
  pass: ProcessedPass,
  attempt: Attempt,
): Promise<boolean> {
  const finished = await inFencedTransaction(ctx, uid, attempt, async (tx, row) => {
    await pass.series.save(tx);
    await replacePack(tx, uid, pass.pack);
    await replaceFound(tx, uid, pass.definitions);
    await replaceTopics(tx, { recordingId: uid, deviceId: row.device_id }, pass);
    const byUid = new Map(rules.map((rule) => [rule.uid, rule]));
    const evaluated = pass.results.flatMap((result): Evaluated[] => {
      const rule = byUid.get(result.ruleUid);
      return rule ? [{ rule, result, durationMs: pass.durationMs }] : [];
    });
    const device = { uid: row.device_id, name: row.device_name };
    const target = { recordingId: uid, device, tags: [...row.tags], demo: row.demo };
    await applyEvaluations(tx, target, evaluated, { runId: null, notify: true });
    await writeRecording(tx, uid, pass);
    if (pass.storedSignals) await saveSignals(tx, uid, pass.storedSignals);
    else await enqueueSignals(tx, uid);
    if (pass.summary.topics.some(({ schemaName }) => isPictureSchema(schemaName))) await enqueueFilmstrip(tx, uid);
    await announce(tx, "recording", uid, "updated");
    return true;
  });
  return finished ?? false;
}

async function writeRecording(tx: Ctx, uid: string, pass: ProcessedPass): Promise<void> {
  const { summary, sizeBytes, warnings, durationMs, cpuSeconds } = pass;
  const known = summary.messageCount > 0;
  const shown = warnings.slice(0, maxWarnings);
  if (warnings.length > shown.length) shown.push(`${warnings.length - shown.length} more warnings were left out.`);
  const gaps = summary.gaps.map(({ startTime, endTime, kind }) => ({
    start_ns: String(startTime),
    end_ns: String(endTime),
    kind,
  }));
  const attachments = summary.attachments.map(storeAttachment);
  await execute(
    tx,
    Prisma.sql`update recordings set status = ${finishStatus("ready")}, error_message = null, attachments = ${storedJson(attachments)}::jsonb, warnings = ${storedJson(shown)}::jsonb,
        gaps = ${JSON.stringify(gaps)}::jsonb, truncated = ${summary.truncated}, format = ${summary.format}, size_bytes = ${sizeBytes}::bigint,
        topic_count = ${summary.topics.length}::int, message_count = ${summary.messageCount}::bigint,
        start_ns = ${known ? String(summary.startTime) : null}::bigint, end_ns = ${known ? String(summary.endTime) : null}::bigint,
        started_at = coalesce(${known ? dateFromNs(summary.startTime) : null}::timestamptz, started_at),
        ended_at = coalesce(${known ? dateFromNs(summary.endTime) : null}::timestamptz, started_at),
        stage = null, progress = null, processed_at = now(), processing_version = ${processingVersion}::smallint,
        processing_seconds = ${durationMs / 1_000}::float8, processing_cpu_seconds = ${cpuSeconds}::float8, updated_at = now()
      where uid = ${uid}`,
  );
}

/**
 * Ends processing with a reason, one line that is shown to users. Throws `AttemptSuperseded` when another worker took
 * over.
 */
export async function failProcessing(ctx: Ctx, uid: string, reason: string, attempt: Attempt): Promise<void> {
  await inFencedTransaction(ctx, uid, attempt, async (tx) => {
    await removeFailedSeries(tx, uid, attempt);
    await markFailed(tx, uid, reason);
  });
}

/** Sets a recording to `error`, in the transaction of `tx`; an archived one stays archived and gets the reason. */
export async function markFailed(tx: Ctx, uid: string, reason: string): Promise<void> {
  await execute(
    tx,
    Prisma.sql`update recordings set status = ${finishStatus("error")}, error_message = ${storedText(reason)}, stage = null,
        progress = null, updated_at = now()
      where uid = ${uid} and organization_id = ${tx.organizationId}`,
  );
  await announce(tx, "recording", uid, "updated");
}
