import { taskStatuses, type UpdateWorkBatch, type WorkBatchFilters } from "@/domain/tasks/schema";
import { audit } from "@/server/features/audit/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { ProjectResource } from "@/server/features/projects/resource";
import { lockProject } from "@/server/features/projects/service";
import type { WorkBatchResource } from "@/server/features/tasks/resource";
import { findAssignee, lockTasks, mayBeAssigned, setAssignee, visibleTasks } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { float8, int4, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

const batchStatus = Prisma.sql`case when b.task_count > 0 and b.completed_count = b.task_count then 'completed'
  when b.started_count > 0 then 'in_progress' else 'pending' end`;
const batchColumns = Prisma.sql`b.uid, b.project_id as project, 'Batch ' || b.number as name, ${batchStatus} as status, b.task_count,
  b.started_count, b.completed_count, case when b.task_count = 0 then 0 else b.completed_count::float8 / b.task_count end as progress,
  b.due, b.created_at, b.updated_at`;
const batchRow = {
  uid: text,
  project: text,
  name: text,
  status: oneOf(taskStatuses),
  task_count: int4,
  started_count: int4,
  completed_count: int4,
  progress: float8,
  due: nullable(timestamptz),
  created_at: timestamptz,
  updated_at: timestamptz,
};

const visibleBatches = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`b.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`b.project_id`)}`;

/** Work batches, newest first. */
export async function listWorkBatches(
  ctx: Ctx,
  { limit, cursor, project }: WorkBatchFilters,
): Promise<Page<WorkBatchResource>> {
  return keysetPage<WorkBatchResource>(ctx, {
    name: "work-batches",
    filters: { project },
    page: { limit, cursor },
    order: { columns: ["b.uid"], direction: "desc" },
    key: (batch) => [batch.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        batchRow,
        Prisma.sql`select ${batchColumns} from work_batches b where ${visibleBatches(ctx)} and ${where}
        ${project === undefined ? Prisma.empty : Prisma.sql`and b.project_id = ${project}`} order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One work batch. Throws `not_found`. */
export async function getWorkBatch(ctx: Ctx, uid: string): Promise<WorkBatchResource> {
  const [row] = await query(
    ctx,
    batchRow,
    Prisma.sql`select ${batchColumns} from work_batches b where b.uid = ${uid} and ${visibleBatches(ctx)}`,
  );
  if (!row) throw notFound();
  return {
    ...row,
    due: row.due?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Assigns what nobody has begun of a batch. Throws `invalid("assignee")`. Returns the username. */
async function assignBatch(tx: Ctx, uid: string, project: ProjectResource, assignee: string | null) {
  if (project.status !== "active" && project.status !== "paused")
    throw invalid("assignee", `Its project is ${project.status}.`);
  const member = await findAssignee(tx, assignee);
  if (member && !(await mayBeAssigned(tx, project.uid, member)))
    throw invalid("assignee", `"${assignee}" is no annotator of this project.`);
  const waiting = await query(
    tx,
    { uid: text },
    Prisma.sql`select t.uid from tasks t where t.batch_id = ${uid} and t.status = 'pending' and ${visibleTasks(tx)}`,
  );
  const tasks = await lockTasks(
    tx,
    waiting.map((task) => task.uid),
  );
  const uids = tasks.filter(({ status }) => status === "pending").map((task) => task.uid);
  await setAssignee(tx, uids, member);
  return { assignee: member?.username ?? null, count: uids.length };
}

/**
 * Sets when a batch has to be done, and assigns its tasks that nobody has begun to a member, or to nobody. Throws
 * `not_found`, `invalid("assignee")`.
 */
export async function updateWorkBatch(
  ctx: Ctx,
  uid: string,
  { assignee, due }: UpdateWorkBatch,
): Promise<WorkBatchResource> {
  return transaction(ctx, async (tx) => {
    const before = await getWorkBatch(tx, uid);
    if (assignee === undefined && due === undefined) return before;
    const project = await lockProject(tx, before.project);
    const assigned = assignee === undefined ? {} : await assignBatch(tx, uid, project, assignee);
    if (due !== undefined) await tx.db.workBatch.update({ where: { uid }, data: { due } });
    const after = await getWorkBatch(tx, uid);
    await audit(tx, {
      action: "work_batch.updated",
      targetType: "project",
      targetId: project.uid,
      targetName: project.name,
      before: { name: before.name, due: before.due },
      after: { name: after.name, due: after.due, ...assigned },
    });
    await announce(tx, "project", project.uid, "updated");
    return after;
  });
}
