import type { DecideResults } from "@/domain/tasks/review-schema";
import { toPercentile } from "@/domain/tasks/sampling";
import { type DecideResult, type Decision, resultStatuses } from "@/domain/tasks/schema";
import { audit } from "@/server/features/audit/service";
import { publish } from "@/server/features/platform-events/service";
import { setStatus } from "@/server/features/projects/lifecycle-service";
import { isReviewer, requireReviewer } from "@/server/features/projects/people-queries";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { DecidedResults, ResultResource, TaskResource } from "@/server/features/tasks/resource";
import {
  countAnnotations,
  getResult,
  toDecided,
  toEventData,
  visibleResults,
} from "@/server/features/tasks/result-service";
import { restartDraft } from "@/server/features/tasks/rework-service";
import { lockTask } from "@/server/features/tasks/service";
import { moveTask } from "@/server/features/tasks/transition-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { forbidden, invalid, isServiceError } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { bool, oneOf, text } from "@/server/platform/rows";

/** Whether the caller submitted a result, which somebody else has to decide. */
export async function isOwnResult(ctx: Ctx, uid: string): Promise<boolean> {
  if (ctx.actor.userId === null) return false;
  const where = { uid, organizationId: ctx.organizationId, submittedById: ctx.actor.userId };
  return (await ctx.db.result.count({ where })) > 0;
}

/** As `decideResult`, for a person. Throws also `forbidden` for members who are no reviewers of the project. */
export async function reviewResult(
  ctx: Ctx,
  uid: string,
  decision: Decision,
  input: DecideResult,
): Promise<ResultResource> {
  return transaction(ctx, async (tx) => {
    await requireReviewable(tx, uid);
    return decideResult(tx, uid, decision, input);
  });
}

/** Throws `not_found`, and `forbidden` for members who are no reviewers of the result's project. */
export const requireReviewable = async (ctx: Ctx, uid: string): Promise<void> =>
  requireReviewer(ctx, (await getResult(ctx, uid)).project);

/**
 * Throws `invalid("uids")` for results that the caller does not see, and `forbidden` for those who review none of their
 * projects.
 */
async function requireAnyReviewable(ctx: Ctx, uids: readonly string[]): Promise<void> {
  const seen = await query(
    ctx,
    { uid: text, project: text },
    Prisma.sql`select r.uid, r.project_id as project from results r where r.uid = any(${uids}) and ${visibleResults(ctx)}`,
  );
  const known = new Set(seen.map(({ uid }) => uid));
  const unknown = uids.findIndex((uid) => !known.has(uid));
  if (unknown >= 0) throw invalid(["uids", unknown], "There is no such result.");
  for (const project of new Set(seen.map((each) => each.project))) if (await isReviewer(ctx, project)) return;
  throw forbidden();
}

/** Why one of many results stays as it is; other errors end the request, and what was decided stays decided. */
function toRefusal(error: unknown): string {
  if (!isServiceError(error)) throw error;
  if (error.code === "not_found") return "There is no such result any more.";
  if (error.code === "forbidden") return "Only reviewers of its project decide it.";
  if (error.code === "invalid") return error.text();
  throw error;
}

/**
 * Decides each of many results as `reviewResult` does, in a transaction of its own, so that one that is refused stops no
 * other and nobody waits for all of them. Throws `invalid("uids")` for unknown ones, and `forbidden` for members who
 * review none of their projects; then none is decided.
 */
export async function decideResults(ctx: Ctx, { uids, decision, ...input }: DecideResults): Promise<DecidedResults> {
  await requireAnyReviewable(ctx, uids);
  const answer: DecidedResults = { done: 0, failed: [] };
  for (const uid of new Set(uids)) {
    try {
      await reviewResult(ctx, uid, decision, input);
      answer.done++;
    } catch (error) {
      answer.failed.push({ uid, error: toRefusal(error) });
    }
  }
  return answer;
}

/**
 * Accepts or rejects a submitted result; rejecting reopens its task. Throws `not_found`, `invalid` for the caller's own
 * result, and `invalid("status")` for one that is already decided.
 */
export async function decideResult(
  ctx: Ctx,
  uid: string,
  decision: Decision,
  { reason }: DecideResult,
): Promise<ResultResource> {
  return transaction(ctx, async (tx) => {
    const locked = await lockUndecided(tx, uid);
    await settle(tx, locked, decision, { reason });
    await closeSample(tx, locked);
    return getResult(tx, uid);
  });
}

/** Locks a result that the caller may decide. Throws as `decideResult`. */
export async function lockUndecided(tx: Ctx, uid: string): Promise<Decided> {
  const locked = await lockTask(tx, (await getResult(tx, uid)).task);
  const result = await getResult(tx, uid);
  if (await isOwnResult(tx, uid)) throw invalid([], "You submitted this result; another person decides it.");
  if (result.status !== "submitted") throw invalid("status", `This result is ${result.status} already.`);
  return { ...locked, result };
}

interface Decided {
  result: ResultResource;
  task: TaskResource;
  project: ProjectResource;
}

/** Records a decision on a submitted result of a locked task. */
async function settle(
  tx: Ctx,
  { result, task, project }: Decided,
  decision: Decision,
  { reason }: DecideResult,
): Promise<void> {
  const { uid, dataset_item: itemId, annotations } = result;
  const status = decision === "accept" ? "accepted" : "rejected";
  await tx.db.result.update({
    where: { uid },
    data: { status, reason: reason ?? "", ...toDecided(tx) },
  });
  await moveTask(tx, { task, project }, decision);
  if (decision === "reject") {
    if (project.status === "completed") await setStatus(tx, project, "active");
    await restartDraft(tx, { task, project }, result);
    await countAnnotations(tx, itemId, -annotations.length);
  }
  await audit(tx, {
    action: `result.${status}`,
    targetType: "result",
    targetId: uid,
    targetName: task.name,
    ...(reason && { after: { reason } }),
  });
  await publish(tx, `result.${status}`, toEventData(uid, task));
  await checkQualityTarget(tx, project, decision);
}

const rate = (accepted: number, rejected: number): number =>
  accepted + rejected === 0 ? 1 : accepted / (accepted + rejected);

/**
 * Publishes `quality.alert` when a decision lowers the share of accepted results below the project's target; not again
 * until the target was reached.
 */
async function checkQualityTarget(tx: Ctx, project: ProjectResource, decision: Decision): Promise<void> {
  const { quality_target: target, accepted_count: accepted, rejected_count: rejected } = project;
  if (!target) return;
  const before = rate(accepted, rejected);
  const now = decision === "accept" ? rate(accepted + 1, rejected) : rate(accepted, rejected + 1);
  if (now >= target.threshold || before < target.threshold) return;
  await publish(tx, "quality.alert", {
    metric: target.metric,
    threshold: target.threshold,
    current_value: now,
    project_uid: project.uid,
  });
}

/** Accepts a result of a project without reviewers, as Muster itself. */
export async function acceptUnreviewed(tx: Ctx, uid: string): Promise<void> {
  const own = systemContext(tx.db, tx.organizationId, "Muster");
  const result = await getResult(own, uid);
  await settle(own, { ...(await lockTask(own, result.task)), result }, "accept", {});
}

/** The share of a sample that has to be accepted in a project without a target. */
const defaultTarget = 0.95;

const sampleRow = { uid: text, status: oneOf(resultStatuses), sampled: bool, is_first: bool };

/**
 * Ends the sample of a task's batch in a project that reviews a share, once all tasks of the batch are completed and all
 * of its sample is decided: where the target's share was accepted as it was submitted, the rest is accepted too, else it
 * joins the sample. A batch of which nothing is in the sample gets one. The project is locked, so that this happens once.
 */
export async function closeSample(
  tx: Ctx,
  { task, project }: Pick<Decided, "project"> & { task: Pick<TaskResource, "work_batch"> },
): Promise<void> {
  if (project.review !== "share") return;
  const batch = await tx.db.workBatch.findUniqueOrThrow({ where: { uid: task.work_batch } });
  if (batch.completedCount < batch.taskCount) return;
  const results = await query(
    tx,
    sampleRow,
    Prisma.sql`select r.uid, r.status, r.sampled, r.revises is null as is_first
      from tasks t join results r on r.task_id = t.uid where t.batch_id = ${batch.uid} and t.organization_id = ${tx.organizationId}`,
  );
  const rest = results.filter(({ status, sampled }) => status === "submitted" && !sampled).map(({ uid }) => uid);
  const sample = results.filter(({ sampled, is_first: isFirst }) => sampled && isFirst);
  if (rest.length === 0 || results.some(({ status, sampled }) => status === "submitted" && sampled)) return;
  const accepted = sample.filter(({ status }) => status === "accepted").length;
  const target = project.quality_target?.threshold ?? defaultTarget;
  if (sample.length > 0 && accepted / sample.length >= target) {
    const own = systemContext(tx.db, tx.organizationId, `sample of batch ${batch.number}`);
    for (const uid of rest.toSorted()) await settle(own, await lockUndecided(own, uid), "accept", {});
    return;
  }
  const [first = ""] = rest.toSorted((a, b) => toPercentile(a) - toPercentile(b));
  await tx.db.result.updateMany({
    where: { uid: { in: sample.length > 0 ? rest : [first] }, organizationId: tx.organizationId },
    data: { sampled: true },
  });
  await announce(tx, "task", project.uid, "updated");
}
