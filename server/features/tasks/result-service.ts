import { z } from "zod";
import { jsonSize } from "@/domain/fields";
import {
  type DecideResult,
  type Decision,
  type ResultFilters,
  type SubmitResult,
  type Annotation,
  resultStatuses,
  StoredAnnotation,
} from "@/domain/tasks/schema";
import { audit } from "@/server/features/audit/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { publish } from "@/server/features/platform-events/service";
import { completeIfDone, setStatus } from "@/server/features/projects/lifecycle-service";
import { requireReviewer } from "@/server/features/projects/people-queries";
import type { ProjectResource } from "@/server/features/projects/resource";
import { checkLabels, clipShapes, getPicture, type Picture } from "@/server/features/tasks/picture-service";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { restartDraft } from "@/server/features/tasks/rework-service";
import { getTask, lockTask, requireWorker } from "@/server/features/tasks/service";
import { moveTask } from "@/server/features/tasks/transition-service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { jsonb, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`r.uid, r.task_id as task, r.project_id as project, r.item_id as dataset_item, r.status, r.annotations,
  r.reason, r.submitted_by, r.revises, r.superseded_by, r.decided_by, r.decided_at, r.created_at, r.updated_at`;
const resultRow = {
  uid: text,
  task: text,
  project: text,
  dataset_item: text,
  status: oneOf(resultStatuses),
  annotations: jsonb(z.array(StoredAnnotation)),
  reason: text,
  submitted_by: text,
  revises: nullable(text),
  superseded_by: nullable(text),
  decided_by: nullable(text),
  decided_at: nullable(timestamptz),
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** The results of the organization whose project and dataset the caller sees. */
export const visibleResults = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`r.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`r.project_id`)}
    and ${isVisible(ctx, "dataset", Prisma.sql`r.dataset_id`)}`;

/** The results of a task, newest first. Throws `not_found`. */
export async function listResults(
  ctx: Ctx,
  taskId: string,
  { limit, cursor, status }: ResultFilters,
): Promise<Page<ResultResource>> {
  await getTask(ctx, taskId);
  return keysetPage<ResultResource>(ctx, {
    name: "results",
    filters: { taskId, status },
    page: { limit, cursor },
    order: { columns: ["r.uid"], direction: "desc" },
    key: (result) => [result.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        resultRow,
        Prisma.sql`select ${columns} from results r where r.task_id = ${taskId} and ${visibleResults(ctx)} and ${where}
        ${status === undefined ? Prisma.empty : Prisma.sql`and r.status = any(${status})`} order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One result. Throws `not_found`. */
export async function getResult(ctx: Ctx, uid: string): Promise<ResultResource> {
  const [row] = await query(
    ctx,
    resultRow,
    Prisma.sql`select ${columns} from results r where r.uid = ${uid} and ${visibleResults(ctx)}`,
  );
  if (!row) throw notFound();
  return {
    ...row,
    decided_at: row.decided_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export const toEventData = (resultUid: string, task: TaskResource) => ({
  result_uid: resultUid,
  task_uid: task.uid,
  task_name: task.name,
  task_type: task.type,
  project_uid: task.project,
});

/** Adds to the annotation counts of an item and its dataset. */
export async function countAnnotations(tx: Ctx, itemId: string, by: number): Promise<void> {
  await execute(
    tx,
    Prisma.sql`with changed as (
        update items set annotation_count = annotation_count + ${by}::int where uid = ${itemId} returning dataset_id)
      update datasets d set annotation_count = d.annotation_count + ${by}::int from changed where d.uid = changed.dataset_id`,
  );
}

/**
 * Submits a result, which completes the task and, with the last one, the project. Throws `not_found`, `forbidden` for a
 * task of another person, `invalid("annotations")` for labels the project does not have and shapes outside their picture,
 * and `invalid("status")` when the task is completed or its project is neither active nor paused.
 */
export async function submitResult(ctx: Ctx, taskId: string, input: SubmitResult): Promise<ResultResource> {
  return transaction(ctx, async (tx) => {
    const { task, project } = await lockTask(tx, taskId);
    await requireWorker(tx, task);
    await moveTask(tx, { task, project }, "submit");
    checkLabels(project, input);
    const picture = await getPicture(tx, task);
    return storeResult(tx, { task, project, picture }, clipShapes(input.annotations, picture.size));
  });
}

interface Submitted {
  task: TaskResource;
  project: ProjectResource;
  picture: Picture;
}

/** What a result is stored with besides its annotations. */
type ResultFacts = Pick<
  Prisma.ResultUncheckedCreateInput,
  "submitKey" | "status" | "reason" | "revises" | "decidedBy" | "decidedAt"
>;

/** Adds a row for a result of a task, by the caller, and resolves to its uid. */
export async function addResult(
  tx: Ctx,
  { task, project, picture }: Submitted,
  annotations: readonly Annotation[],
  facts: ResultFacts,
): Promise<string> {
  const uid = uuidv7();
  await tx.db.result.create({
    data: {
      uid,
      organizationId: tx.organizationId,
      projectId: project.uid,
      taskId: task.uid,
      itemId: task.dataset_item,
      datasetId: picture.dataset,
      annotations: annotations as Prisma.InputJsonArray,
      annotationCount: annotations.length,
      annotationBytes: jsonSize(annotations),
      labels: [...new Set(annotations.map(({ label }) => label))],
      submittedById: tx.actor.userId,
      submittedBy: tx.actor.username ?? tx.actor.name,
      ...facts,
    },
  });
  return uid;
}

/** Stores the result of a task that was moved to `submitted`. `submitKey`: that of the draft's submission. */
export async function storeResult(
  tx: Ctx,
  submitted: Submitted,
  annotations: readonly Annotation[],
  submitKey: string | null = null,
): Promise<ResultResource> {
  const { task, project } = submitted;
  const uid = await addResult(tx, submitted, annotations, { submitKey });
  await completeIfDone(tx, project.uid);
  await countAnnotations(tx, task.dataset_item, annotations.length);
  await audit(tx, { action: "result.submitted", targetType: "result", targetId: uid, targetName: task.name });
  await publish(tx, "result.submitted", toEventData(uid, task));
  await publish(tx, "task.completed", {
    task_uid: task.uid,
    task_name: task.name,
    task_type: task.type,
    task_status: "completed",
    project_uid: project.uid,
  });
  if (project.review === "none") await acceptUnreviewed(tx, uid);
  return getResult(tx, uid);
}

/** Accepts a result of a project without reviewers, as Muster itself. */
async function acceptUnreviewed(tx: Ctx, uid: string): Promise<void> {
  const own = systemContext(tx.db, tx.organizationId, "Muster");
  const result = await getResult(own, uid);
  await settle(own, { ...(await lockTask(own, result.task)), result }, "accept", {});
}

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
    await settle(tx, await lockUndecided(tx, uid), decision, { reason });
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
    data: { status, reason: reason ?? "", decidedBy: tx.actor.username ?? tx.actor.name, decidedAt: databaseNow() },
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
