import { taskTypes } from "@/domain/projects/schema";
import { type TaskFilters, type UpdateTask, taskStatuses } from "@/domain/tasks/schema";
import { skipReasons } from "@/domain/tasks/skip-schema";
import { statusOfState, taskStates, type TaskState } from "@/domain/tasks/transitions";
import { audit } from "@/server/features/audit/service";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import { namedMember } from "@/server/features/membership/access-service";
import { isItemVisible, isVisible } from "@/server/features/membership/assignment-queries";
import { annotates, requireAnnotator } from "@/server/features/projects/people-queries";
import { lockProject } from "@/server/features/projects/service";
import type { TaskResource } from "@/server/features/tasks/resource";
import { requireRole, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { nullable, oneOf, text, timestamptz, type Native } from "@/server/platform/rows";

/**
 * SQL: the state of a task `t`. It follows from its status and results, which also a Muster of the version before
 * writes, and so did all before it: a column of its own would be wrong after those.
 */
export const taskState = Prisma.sql`case t.status when 'pending' then 'todo'
  when 'in_progress' then case when exists (select 1 from results r where r.task_id = t.uid and r.status = 'rejected') then 'rework' else 'in_work' end
  else case when t.skip_reason is not null then 'skipped'
    when exists (select 1 from results r where r.task_id = t.uid and r.status = 'accepted') then 'accepted' else 'submitted' end end`;
const hasResult = (status: "rejected" | "accepted"): Prisma.Sql =>
  Prisma.sql`(exists (select 1 from results r where r.task_id = t.uid and r.status = ${status})) is true`;
/** What decides between two states of a status. */
const decidedBy: Partial<Record<TaskState, Prisma.Sql>> = {
  in_work: Prisma.sql`not ${hasResult("rejected")}`,
  rework: hasResult("rejected"),
  skipped: Prisma.sql`t.skip_reason is not null`,
  submitted: Prisma.sql`t.skip_reason is null and not ${hasResult("accepted")}`,
  accepted: Prisma.sql`t.skip_reason is null and ${hasResult("accepted")}`,
};

/**
 * SQL: the task `t` is in one of the states. Not by comparing `taskState`, which the planner takes for a condition that
 * holds for nearly none, so that it would read and sort all tasks where a page of them comes from an index.
 */
export function isInState(states: readonly TaskState[]): Prisma.Sql {
  const conditions = taskStatuses.flatMap((status) => {
    const wanted = states.filter((state) => statusOfState[state] === status);
    const isWhole = taskStates.every((state) => statusOfState[state] !== status || wanted.includes(state));
    const of = Prisma.sql`t.status = ${status}`;
    return isWhole ? [of] : wanted.map((state) => Prisma.sql`(${of} and ${decidedBy[state] ?? Prisma.sql`true`})`);
  });
  return conditions.length === 0 ? Prisma.sql`false` : Prisma.sql`(${Prisma.join(conditions, " or ")})`;
}

/**
 * SQL: how often the task that the column names came back, with results of a condition. One that was corrected in review is
 * rejected too, but did not come back.
 */
export const countRejections = (task: Prisma.Sql, condition: Prisma.Sql = Prisma.sql`true`): Prisma.Sql =>
  Prisma.sql`(select count(*)::int from results e where e.task_id = ${task} and e.status = 'rejected'
    and e.superseded_by is null and ${condition})`;
const columns = Prisma.sql`t.uid, t.type, t.name, t.status, ${taskState} as state, t.project_id as project, t.item_id as dataset_item, u.username as assignee,
  t.batch_id as work_batch, t.skip_reason, t.skip_text, t.created_at, t.updated_at`;
const taskRow = {
  uid: text,
  type: oneOf(taskTypes),
  name: text,
  status: oneOf(taskStatuses),
  state: oneOf(taskStates),
  project: text,
  dataset_item: text,
  assignee: nullable(text),
  work_batch: text,
  skip_reason: nullable(oneOf(skipReasons)),
  skip_text: text,
  created_at: timestamptz,
  updated_at: timestamptz,
};
const tables = Prisma.sql`tasks t left join users u on u.uid = t.assignee_id`;

/** The tasks of the organization whose project and dataset the caller sees. */
export const visibleTasks = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`t.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`t.project_id`)}
    and ${isItemVisible(ctx, Prisma.sql`t.item_id`)}`;

/** Tasks, newest first. */
export async function listTasks(
  ctx: Ctx,
  { limit, cursor, project, status, work_batch: workBatch }: TaskFilters,
): Promise<Page<TaskResource>> {
  return keysetPage<TaskResource>(ctx, {
    name: "tasks",
    filters: { project, status, workBatch },
    page: { limit, cursor },
    order: { columns: ["t.uid"], direction: "desc" },
    key: (task) => [task.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        taskRow,
        Prisma.sql`select ${columns} from ${tables} where ${visibleTasks(ctx)} and ${where}
        ${project === undefined ? Prisma.empty : Prisma.sql`and t.project_id = ${project}`}
        ${status === undefined ? Prisma.empty : Prisma.sql`and t.status = any(${status})`}
        ${workBatch === undefined ? Prisma.empty : Prisma.sql`and t.batch_id = ${workBatch}`}
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One task. Throws `not_found`. */
export async function getTask(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<TaskResource> {
  const [row] = await query(
    ctx,
    taskRow,
    Prisma.sql`select ${columns} from ${tables} where t.uid = ${uid} and ${visibleTasks(ctx)} ${lock}`,
  );
  if (!row) throw notFound();
  return toTask(row);
}

const heldRow = {
  ...taskRow,
  lease_user: nullable(text),
  lease_hash: nullable(text),
  lease_until: nullable(timestamptz),
};

/** One task, locked, and its lease, of which the hash is null if it never had one. Throws `not_found`. */
export async function lockHeld(tx: Ctx, uid: string) {
  const [row] = await query(
    tx,
    heldRow,
    Prisma.sql`select ${columns}, t.lease_user, t.lease_hash, t.lease_until from ${tables}
      where t.uid = ${uid} and ${visibleTasks(tx)} for no key update of t`,
  );
  if (!row) throw notFound();
  const { lease_user: user, lease_hash: hash, lease_until: until, ...task } = row;
  return { task: toTask(task), lease: { user, hash, until } };
}

const toTask = (row: Native<typeof taskRow>): TaskResource => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Those of the tasks that the caller sees, locked in their order. */
export async function lockTasks(tx: Ctx, uids: readonly string[]): Promise<TaskResource[]> {
  const rows = await query(
    tx,
    taskRow,
    Prisma.sql`select ${columns} from ${tables} where t.uid = any(${uids}) and ${visibleTasks(tx)} order by t.uid for no key update of t`,
  );
  return rows.map(toTask);
}

/** Refuses (403) to work on a task that is assigned to another person, or without being an annotator, but for admins. */
export async function requireWorker(ctx: Ctx, { assignee, project }: TaskResource): Promise<void> {
  if (assignee !== null && assignee !== ctx.actor.username) requireRole(ctx, "admin");
  await requireAnnotator(ctx, project);
}

/** Throws `not_found`, and `forbidden` for a task that the caller may not work on. */
export const requireWorkableTask = async (ctx: Ctx, uid: string): Promise<void> =>
  requireWorker(ctx, await getTask(ctx, uid));

/** Locks a task after its project: everything that locks both uses this order. Throws `not_found`. */
export async function lockTask(tx: Ctx, uid: string) {
  const { project: projectId } = await getTask(tx, uid);
  const project = await lockProject(tx, projectId);
  const task = await getTask(tx, uid, Prisma.sql`for no key update of t`);
  return { task, project };
}

/**
 * Assigns a task to a member, or to none; members take and return tasks themselves. Throws `not_found`, `forbidden`,
 * `invalid("assignee")`.
 */
export async function updateTask(ctx: Ctx, uid: string, { assignee }: UpdateTask): Promise<TaskResource> {
  return transaction(ctx, async (tx) => {
    const { task } = await lockTask(tx, uid);
    await requireWorker(tx, task);
    if (assignee === undefined) return task;
    if (assignee !== null && assignee !== tx.actor.username && assignee !== tx.actor.userId) requireRole(tx, "admin");
    const member = await findAssignee(tx, assignee);
    if (member && !(await mayBeAssigned(tx, task.project, member)))
      throw invalid("assignee", `"${assignee}" is no annotator of this project.`);
    const assignedBy = member && toAssignedBy(tx, member);
    await tx.db.task.update({ where: { uid }, data: { assigneeId: member?.uid ?? null, assignedBy } });
    await endLeaseOfOthers(tx, uid);
    await audit(tx, {
      action: "task.assigned",
      targetType: "task",
      targetId: uid,
      targetName: task.name,
      before: { assignee: task.assignee },
      after: { assignee: member?.username ?? null },
    });
    await announce(tx, "task", task.project, "updated");
    return getTask(tx, uid);
  });
}

interface Assignee {
  uid: string;
  username: string;
  role: string;
}

/** Whether a member is an annotator of a project, as admins are. */
export const mayBeAssigned = async (tx: Ctx, project: string, { role, uid }: Assignee): Promise<boolean> =>
  role !== "member" || (await annotates(tx, project, uid));

/** The member whom a uid or username names; null for null. Throws `invalid("assignee")`. */
export const findAssignee = async (tx: Ctx, assignee: string | null): Promise<Assignee | null> =>
  assignee === null ? null : namedMember(tx, "assignee", assignee);

/** Whether somebody takes a task or an admin chooses them. */
const toAssignedBy = (tx: Ctx, { uid }: { uid: string }): "self" | "admin" =>
  uid === tx.actor.userId ? "self" : "admin";

/** Assigns locked tasks, and ends the leases of others. */
export const setAssignee = (tx: Ctx, uids: readonly string[], member: Assignee | null): Promise<number> => {
  const to = member?.uid ?? null;
  const kept = (column: string) =>
    Prisma.sql`case when coalesce(lease_user, assignee_id) = ${to} then ${Prisma.raw(column)} end`;
  return execute(
    tx,
    Prisma.sql`update tasks set assignee_id = ${to}, assigned_by = ${member && toAssignedBy(tx, member)},
        lease_user = ${kept("lease_user")}, lease_hash = ${kept("lease_hash")}, lease_until = ${kept("lease_until")}
      where uid = any(${uids}) and organization_id = ${tx.organizationId}`,
  );
};

/** Ends the lease of a person to whom the task is not assigned any more. */
const endLeaseOfOthers = (tx: Ctx, uid: string): Promise<number> =>
  execute(
    tx,
    Prisma.sql`update tasks set lease_user = null, lease_hash = null, lease_until = null
      where uid = ${uid} and organization_id = ${tx.organizationId} and lease_user is distinct from assignee_id`,
  );

/** Queues recounting the slices of an item's dataset. */
export async function itemChanged(tx: Ctx, itemId: string): Promise<void> {
  const item = await tx.db.item.findUnique({ where: { uid: itemId }, select: { datasetId: true } });
  if (item) await itemsChanged(tx, item.datasetId);
}
