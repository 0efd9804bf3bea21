import { z } from "zod";
import {
  type IssueFilters,
  issueKinds,
  issueStates,
  type NewIssue,
  type NewIssueComment,
  type RejectResult,
  type UpdateIssue,
} from "@/domain/tasks/issue-schema";
import { audit } from "@/server/features/audit/service";
import { IssueCommentResource, type IssueResource } from "@/server/features/issues/resource";
import { isReviewer } from "@/server/features/projects/people-queries";
import { decideResult, requireReviewable } from "@/server/features/tasks/decision-service";
import type { ResultResource, TaskResource } from "@/server/features/tasks/resource";
import { getResult } from "@/server/features/tasks/result-service";
import { countRejections, getTask, lockTask, requireWorker, visibleTasks } from "@/server/features/tasks/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { forbidden, invalid, isServiceError, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { float8, int4, jsonb, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** Of a task, and of comments on an issue: an editor shows them all. */
const limits = { issues: 1_000, comments: 100 } as const;

const columns = Prisma.sql`i.uid, i.task_id as task, i.project_id as project, i.result_id as result, i.round, i.shape_id as shape,
  i.point_x, i.point_y, i.kind, i.text, i.state, i.by_name as by, i.resolved_by, i.resolved_at,
  coalesce((select jsonb_agg(jsonb_build_object('uid', c.uid, 'by', c.by_name, 'text', c.text,
    'created_at', to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by c.uid)
    from issue_comments c where c.issue_id = i.uid), '[]') as comments, i.created_at, i.updated_at`;
const issueRow = {
  uid: text,
  task: text,
  project: text,
  result: nullable(text),
  round: int4,
  shape: nullable(text),
  point_x: nullable(float8),
  point_y: nullable(float8),
  kind: oneOf(issueKinds),
  text,
  state: oneOf(issueStates),
  by: text,
  resolved_by: nullable(text),
  resolved_at: nullable(timestamptz),
  comments: jsonb(z.array(IssueCommentResource)),
  created_at: timestamptz,
  updated_at: timestamptz,
};
const tables = Prisma.sql`issues i join tasks t on t.uid = i.task_id`;

type Row = Omit<IssueResource, "point"> & { point_x: number | null; point_y: number | null };
const toResource = ({ point_x: x, point_y: y, ...row }: Row): IssueResource => ({
  ...row,
  point: x === null || y === null ? null : [x, y],
});

/** The issues of a task, in the order in which they were opened. Throws `not_found`. */
export async function listIssues(
  ctx: Ctx,
  task: string,
  { limit, cursor, state }: IssueFilters,
): Promise<Page<IssueResource>> {
  await getTask(ctx, task);
  const page = await keysetPage<Row>(ctx, {
    name: "issues",
    filters: { task, state },
    page: { limit, cursor },
    order: { columns: ["i.uid"], direction: "asc" },
    key: ({ uid }) => [uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        issueRow,
        Prisma.sql`select ${columns} from ${tables} where i.task_id = ${task} and ${visibleTasks(ctx)} and ${where}
          ${state === undefined ? Prisma.empty : Prisma.sql`and i.state = any(${state})`}
          order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: page.results.map(toResource) };
}

/** One issue. Throws `not_found`. */
async function getIssue(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<IssueResource> {
  const [row] = await query(
    ctx,
    issueRow,
    Prisma.sql`select ${columns} from ${tables} where i.uid = ${uid} and ${visibleTasks(ctx)} ${lock}`,
  );
  if (!row) throw notFound();
  return toResource({
    ...row,
    resolved_at: row.resolved_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  });
}

/** Refuses (403) those who neither work on a task nor decide its results. */
async function requireTakingPart(ctx: Ctx, task: TaskResource): Promise<void> {
  if (!(await isReviewer(ctx, task.project))) await requireWorker(ctx, task);
}

/** Throws `not_found`, and `forbidden` for those who neither work on the task nor decide its results. */
export const requireTask = async (ctx: Ctx, uid: string): Promise<void> =>
  requireTakingPart(ctx, await getTask(ctx, uid));

/** The same for the task of an issue. */
export const requireIssue = async (ctx: Ctx, uid: string): Promise<void> =>
  requireTask(ctx, (await getIssue(ctx, uid)).task);

/** Pins issues to a locked task. Returns their uids. Throws `invalid` for more than a task may have. */
async function insertIssues(
  tx: Ctx,
  task: TaskResource,
  issues: readonly NewIssue[],
  result: string | null,
): Promise<string[]> {
  const [counts] = await query(
    tx,
    { known: int4, rejections: int4 },
    Prisma.sql`select (select count(*)::int from issues i where i.task_id = ${task.uid}) as known,
      ${countRejections(Prisma.sql`${task.uid}`)} as rejections`,
  );
  const { known, rejections } = counts ?? { known: 0, rejections: 0 };
  if (known + issues.length > limits.issues) throw invalid([], `A task has at most ${limits.issues} issues.`);
  const rows = issues.map(({ kind, text: more, shape, point }) => ({
    uid: uuidv7(),
    organizationId: tx.organizationId,
    projectId: task.project,
    taskId: task.uid,
    resultId: result,
    round: rejections + 1,
    shapeId: shape ?? null,
    pointX: point?.[0] ?? null,
    pointY: point?.[1] ?? null,
    kind,
    text: more,
    createdById: tx.actor.userId,
    byName: tx.actor.username ?? tx.actor.name,
  }));
  await tx.db.issue.createMany({ data: rows });
  return rows.map(({ uid }) => uid);
}

async function changed(tx: Ctx, { uid, project, name }: TaskResource, action: string, after: object): Promise<void> {
  await audit(tx, {
    action: `task.${action}`,
    targetType: "task",
    targetId: uid,
    targetName: name,
    after: { ...after },
  });
  await announce(tx, "task", project, "updated");
}

/**
 * Pins an issue to a task; one of a submitted task is about its last result. Throws `not_found`, and `forbidden` for those
 * who neither work on the task nor decide its results.
 */
export async function createIssue(ctx: Ctx, uid: string, input: NewIssue): Promise<IssueResource> {
  return transaction(ctx, async (tx) => {
    const { task } = await lockTask(tx, uid);
    await requireTakingPart(tx, task);
    const last = await tx.db.result.findFirst({
      where: { taskId: uid, organizationId: tx.organizationId, status: "submitted" },
      orderBy: { uid: "desc" },
      select: { uid: true },
    });
    const [issue] = await insertIssues(tx, task, [input], last?.uid ?? null);
    await changed(tx, task, "issue_opened", { kind: input.kind });
    return getIssue(tx, issue ?? "");
  });
}

/**
 * Settles an issue, or opens it again, which only reviewers and admins do. Throws `not_found`, and `forbidden` for those
 * who neither work on the task nor decide its results.
 */
export async function updateIssue(ctx: Ctx, uid: string, { state }: UpdateIssue): Promise<IssueResource> {
  return transaction(ctx, async (tx) => {
    const { task } = await lockTask(tx, (await getIssue(tx, uid)).task);
    await requireTakingPart(tx, task);
    const before = await getIssue(tx, uid);
    if (before.state === state) return before;
    if (state === "open" && !(await isReviewer(tx, task.project))) throw forbidden();
    const isResolved = state === "resolved";
    await tx.db.issue.update({
      where: { uid },
      data: {
        state,
        resolvedBy: isResolved ? (tx.actor.username ?? tx.actor.name) : null,
        resolvedAt: isResolved ? databaseNow() : null,
      },
    });
    await changed(tx, task, isResolved ? "issue_resolved" : "issue_opened", { kind: before.kind });
    return getIssue(tx, uid);
  });
}

/** Comments on an issue. Throws as `createIssue`, and `invalid` beyond the comments that an issue may have. */
export async function commentOnIssue(ctx: Ctx, uid: string, input: NewIssueComment): Promise<IssueCommentResource> {
  return transaction(ctx, async (tx) => {
    const { task } = await lockTask(tx, (await getIssue(tx, uid)).task);
    await requireTakingPart(tx, task);
    const { comments } = await getIssue(tx, uid);
    if (comments.length >= limits.comments) throw invalid([], `An issue has at most ${limits.comments} comments.`);
    const comment = await tx.db.issueComment.create({
      data: {
        uid: uuidv7(),
        organizationId: tx.organizationId,
        issueId: uid,
        createdById: tx.actor.userId,
        byName: tx.actor.username ?? tx.actor.name,
        text: input.text,
      },
    });
    await tx.db.issue.update({ where: { uid }, data: { updatedAt: databaseNow() } });
    await announce(tx, "task", task.project, "updated");
    return {
      uid: comment.uid,
      by: comment.byName,
      text: comment.text,
      created_at: comment.createdAt.toISOString(),
    };
  });
}

/** Rejects a result and pins what is wrong with it to its task, both or neither. Throws as `requireReviewable` and `decideResult`. */
export async function rejectResult(
  ctx: Ctx,
  uid: string,
  { issues, ...decision }: RejectResult,
): Promise<ResultResource> {
  return transaction(ctx, async (tx) => {
    await requireReviewable(tx, uid);
    const { task } = await lockTask(tx, (await getResult(tx, uid)).task);
    // Before the decision, with which the next round begins.
    if (issues.length > 0) await insertIssues(tx, task, issues, uid);
    return decideResult(tx, uid, "reject", decision);
  });
}

/** Pins what an agent says of a result as a question; nothing where the result was deleted since. */
export async function flagResult(tx: Ctx, result: string, reason: string): Promise<void> {
  try {
    const { task } = await lockTask(tx, (await getResult(tx, result)).task);
    await insertIssues(tx, task, [{ kind: "question", text: reason }], result);
    await announce(tx, "task", task.project, "updated");
  } catch (error) {
    if (!isServiceError(error) || !["invalid", "not_found"].includes(error.code)) throw error;
  }
}
