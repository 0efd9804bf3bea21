import type { Scope } from "@/domain/rules/scope";
import { applyEvaluations, type Target } from "@/server/features/rules/apply-service";
import { storedFacts } from "@/server/features/rules/facts-queries";
import { evaluatePast } from "@/server/features/rules/past";
import { previewRecordings, maxRecordingsPerRun, type PreviewRequest } from "@/server/features/rules/preview-service";
import {
  pastRecordings,
  type ActiveRule,
  type PastRecording,
  type RecordingRange,
  activeRuleRow,
} from "@/server/features/rules/scope-queries";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence } from "@/server/platform/jobs/queue";
import { arrayOf, bool, notNull, nullable, text } from "@/server/platform/rows";
import { storedJson } from "@/server/platform/stored-text";

/** Recordings whose facts are read in one statement. */
const batchSize = 20;

interface StoredRange {
  recordings?: string[];
  since?: string;
  until?: string;
  own?: boolean;
}
const toRange = ({ recordings, since, until, own }: StoredRange): RecordingRange => ({
  ...(recordings && { recordings }),
  ...(since && { since: new Date(since) }),
  ...(until && { until: new Date(until) }),
  ...(own && { own }),
});

/**
 * Executes a run, continuing where an earlier attempt stopped. On the job's last attempt a failure sets the run to
 * `failed`. Throws `AttemptSuperseded` when another worker took over.
 */
export async function workOnRun(organizationId: string, runId: string, job: JobRun): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  const run = await prisma.ruleRun.findFirst({ where: { uid: runId, organizationId } });
  if (!run || run.finishedAt) return;
  try {
    // `startPreviewRun` wrote the request.
    if (run.kind === "preview")
      await workOnPreview(ctx, runId, run.request as unknown as PreviewRequest & { range: StoredRange }, job);
    else if (run.ruleId !== null) await workOnRule(ctx, { ...run, ruleId: run.ruleId }, job);
  } catch (error) {
    if (!job.lastAttempt || job.signal.aborted || error instanceof AttemptSuperseded) throw error;
    job.log.error({ err: error, run: runId }, "a run failed on its last attempt");
    await finishRun(ctx, runId, job, {
      status: "failed",
      error: "The run failed for an unexpected reason. Start it again.",
    });
  }
}

/** Ends a run with a reason, without reading a recording; what it has already done stays. */
export async function refuseRun(
  { organizationId, runId }: { organizationId: string; runId: string },
  job: JobRun,
  error: string,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId);
  const unfinished = await prisma.ruleRun.count({ where: { uid: runId, organizationId, finishedAt: null } });
  if (unfinished > 0) await finishRun(ctx, runId, job, { status: "failed", error });
}

async function finishRun(
  ctx: Ctx,
  runId: string,
  job: JobRun,
  end: { status: "done" | "failed"; error?: string; result?: string; hits?: number },
) {
  await transaction(ctx, async (tx) => {
    await fence(tx, job.attempt);
    await execute(
      tx,
      Prisma.sql`update rule_runs set status = ${end.status}, error = ${end.error ?? null}, finished_at = now(),
          hit_count = coalesce(${end.hits ?? null}::int, hit_count), result = coalesce(${end.result ?? null}::jsonb, result)
        where uid = ${runId}`,
    );
  });
}

async function workOnPreview(
  ctx: Ctx,
  runId: string,
  stored: PreviewRequest & { range: StoredRange },
  job: JobRun,
): Promise<void> {
  const request: PreviewRequest = { ...stored, range: toRange(stored.range) };
  const recordings = await pastRecordings(ctx, request.scope, request.range, maxRecordingsPerRun, { by: "recorded" });
  let processed = 0;
  let hits = 0;
  let reportedAt = 0;
  const result = await previewRecordings(ctx, request, recordings, {
    signal: job.signal,
    cache: false,
    onProgress: async (previewed) => {
      processed++;
      hits += previewed.result.hits.length;
      if (performance.now() - reportedAt < 500) return;
      reportedAt = performance.now();
      await execute(
        ctx,
        Prisma.sql`update rule_runs set status = 'running', total = ${recordings.length}, processed = ${processed}, hit_count = ${hits}
          where uid = ${runId} and finished_at is null`,
      );
    },
  });
  await prisma.ruleRun.update({
    where: { uid: runId },
    data: { total: recordings.length, processed: recordings.length },
  });
  await finishRun(ctx, runId, job, { status: "done", result: storedJson(result), hits });
}

interface ApplyRun {
  uid: string;
  ruleId: string;
  ruleVersion: number | null;
  request: unknown;
  result: unknown;
}

/** The version of the rule that the run was started with. */
async function loadRule(ctx: Ctx, run: ApplyRun): Promise<{ rule: ActiveRule; scope: Scope } | null> {
  const [row] = await query(
    ctx,
    activeRuleRow,
    Prisma.sql`select r.uid, r.name, v.version, v.condition, v.actions, v.scope, r.demo
      from rules r join rule_versions v on v.rule_id = r.uid and v.version = ${run.ruleVersion ?? 1}
      where r.uid = ${run.ruleId} and r.organization_id = ${ctx.organizationId}`,
  );
  return row ? { rule: row, scope: row.scope } : null;
}

/** Newest recording first, each in a transaction of its own that also stores the run's progress. */
async function workOnRule(ctx: Ctx, run: ApplyRun, job: JobRun): Promise<void> {
  const found = await loadRule(ctx, run);
  if (!found) return;
  const range = toRange((run.request as { range: StoredRange }).range);
  let before = (run.result as { cursor?: string } | null)?.cursor;
  for (;;) {
    const recordings = await pastRecordings(ctx, found.scope, range, batchSize, { by: "created", before });
    if (recordings.length === 0) break;
    const facts = await storedFacts(
      ctx,
      recordings.map(({ uid }) => uid),
    );
    for (const recording of recordings) {
      job.signal.throwIfAborted();
      const known = facts.get(recording.uid);
      const started = performance.now();
      const results =
        known && (await evaluatePast(ctx, { uid: recording.uid, facts: known }, [found.rule], { signal: job.signal }));
      const result = results?.[0];
      await transaction(ctx, async (tx) => {
        await fence(tx, job.attempt);
        const target = result && (await lockTarget(tx, recording, known));
        const durationMs = performance.now() - started;
        const evaluated = result && target ? [{ rule: found.rule, result, durationMs }] : [];
        const hits = target ? await applyEvaluations(tx, target, evaluated, { runId: run.uid, notify: false }) : 0;
        await execute(
          tx,
          Prisma.sql`update rule_runs set status = 'running', processed = processed + 1, hit_count = hit_count + ${hits}::int,
              result = ${JSON.stringify({ cursor: recording.uid })}::jsonb
            where uid = ${run.uid}`,
        );
      });
      before = recording.uid;
    }
  }
  await finishRun(ctx, run.uid, job, { status: "done" });
}

/** The recording, locked; null when it was deleted or processed again since its facts were read. */
async function lockTarget(
  tx: Ctx,
  recording: PastRecording,
  known: { processed: string } | undefined,
): Promise<Target | null> {
  const [row] = await query(
    tx,
    { tags: notNull(arrayOf(text)), demo: bool, status: text, processed: nullable(text), device_name: text },
    Prisma.sql`select r.tags, r.demo, r.status, r.processed_at::text as processed,
        coalesce((select d.name from devices d where d.uid = r.device_id), r.device_name) as device_name
      from recordings r where r.uid = ${recording.uid} and r.organization_id = ${tx.organizationId} for update of r`,
  );
  if (!row || row.status !== "ready" || row.processed !== known?.processed) return null;
  return {
    recordingId: recording.uid,
    device: { uid: recording.deviceId, name: row.device_name },
    tags: [...row.tags],
    demo: row.demo,
  };
}
