import { toSaved } from "@/domain/conditions/condition";
import { heartbeatTopic, readsHeartbeats } from "@/domain/conditions/heartbeat";
import { PreviewResult } from "@/domain/rules/preview";
import type { runStatuses, RunRule } from "@/domain/rules/schema";
import type { Scope } from "@/domain/rules/scope";
import { audit } from "@/server/features/audit/service";
import type { PreviewRunResource, RunResource } from "@/server/features/rules/resource";
import { countPastRecordings, checkRange } from "@/server/features/rules/scope-queries";
import { requireRuleAuthor } from "@/server/features/rules/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { jsonb, nullable } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

type RunRow = NonNullable<Awaited<ReturnType<Ctx["db"]["ruleRun"]["findFirst"]>>>;

function serializeRun(run: RunRow): RunResource {
  const status = run.status as (typeof runStatuses)[number];
  return {
    run_uid: run.uid,
    kind: run.kind === "preview" ? "preview" : "apply",
    rule_id: run.ruleId,
    rule_version: run.ruleVersion,
    status,
    progress:
      status === "done" ? 1 : run.total === 0 ? 0 : Math.min(1, Math.round((run.processed / run.total) * 1000) / 1000),
    total: run.total,
    processed: run.processed,
    hit_count: run.hitCount,
    error: run.error,
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

/**
 * Applies the rule's current version to past recordings in the background: those named, a range of creation, or all in
 * scope. Opens alerts and sends no messages. Throws `not_found`, `forbidden` for another member's rule, `invalid` for recordings that are not the
 * organization's.
 */
export async function startRun(ctx: Ctx, ruleUid: string, input: RunRule): Promise<{ run_uid: string }> {
  const rule = await requireRuleAuthor(ctx, ruleUid);
  if (rule.builtin) throw invalid([], "A built-in rule watches the live fleet; it cannot be run over recordings.");
  if (readsHeartbeats(toSaved(rule.condition))) {
    throw invalid([], `A rule on ${heartbeatTopic} watches heartbeats; it cannot be run over recordings.`);
  }
  const range = await checkRange(ctx, input);
  const total = await countPastRecordings(ctx, rule.scope as Scope, range);
  const uid = uuidv7();
  return transaction(ctx, async (tx) => {
    await tx.db.ruleRun.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        ruleId: rule.uid,
        ruleVersion: rule.version,
        kind: "apply",
        request: JSON.parse(JSON.stringify({ range })) as object,
        total,
        createdById: tx.actor.userId,
      },
    });
    await enqueue(tx, jobs.runRule, { organizationId: tx.organizationId, runId: uid }, { key: `rules.run:${uid}` });
    await audit(tx, {
      action: "rule.run",
      targetType: "rule",
      targetId: rule.uid,
      targetName: rule.name,
      after: { run_id: uid, version: rule.version, recordings: total },
    });
    return { run_uid: uid };
  });
}

/** A run of a rule with its progress. Throws `not_found`. */
export async function getRun(ctx: Ctx, ruleUid: string, runUid: string): Promise<RunResource> {
  const run = await ctx.db.ruleRun.findFirst({
    where: { uid: runUid, ruleId: ruleUid, organizationId: ctx.organizationId },
  });
  if (!run) throw notFound();
  return serializeRun(run);
}

/** A preview that became a run; `result` once it is completed. Throws `not_found`. */
export async function getPreviewRun(ctx: Ctx, runUid: string): Promise<PreviewRunResource> {
  const run = await ctx.db.ruleRun.findFirst({
    where: { uid: runUid, kind: "preview", organizationId: ctx.organizationId },
  });
  if (!run) throw notFound();
  if (run.status !== "done") return { ...serializeRun(run), result: null };
  const [row] = await query(
    ctx,
    { result: nullable(jsonb(PreviewResult)) },
    Prisma.sql`select result from rule_runs where uid = ${runUid} and organization_id = ${ctx.organizationId}`,
  );
  return { ...serializeRun(run), result: row?.result ?? null };
}
