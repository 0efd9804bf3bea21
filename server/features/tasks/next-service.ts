import type { NextTask } from "@/domain/tasks/labelling-schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { mayLabel } from "@/server/features/projects/people-queries";
import { getProject, namedProject } from "@/server/features/projects/service";
import { getTaskForEditor } from "@/server/features/tasks/editor-service";
import type { LeaseResource, TaskForEditor } from "@/server/features/tasks/labelling-resource";
import { startLeased } from "@/server/features/tasks/open-service";
import { getTask, isInState, visibleTasks } from "@/server/features/tasks/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";

const lastDecision = Prisma.sql`(select max(r.decided_at) from results r where r.task_id = t.uid)`;
const isOrphan = Prisma.sql`(t.assignee_id is null
  or not exists (select 1 from memberships m where m.user_id = t.assignee_id and m.organization_id = t.organization_id))`;

/**
 * SQL: finds and locks the task that the caller works on next: one in work of theirs that no tab has, their rework, what is
 * assigned to them, what nobody has any more that was begun, and then what waits. Those that others are just given are
 * passed over; a part is only read when those before it have nothing.
 */
function findNext(ctx: Ctx, { project, not }: NextTask): Prisma.Sql {
  const mine = Prisma.sql`t.assignee_id = ${ctx.actor.userId}`;
  const projects = Prisma.sql`select p.uid from projects p where p.organization_id = ${ctx.organizationId} and p.status = 'active'
    and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} and ${mayLabel(ctx)} ${project === undefined ? Prisma.empty : Prisma.sql`and p.uid = ${project}`}`;
  const isFree = Prisma.sql`${visibleTasks(ctx)} and t.uid <> all(${not})
    and (t.lease_until is null or t.lease_until <= ${databaseNow()}::timestamptz)`;
  const one = (condition: Prisma.Sql, order: Prisma.Sql) =>
    Prisma.sql`select t.uid from tasks t where t.project_id in (${projects}) and ${condition} and ${isFree}
      order by ${order} limit 1 for no key update of t skip locked`;
  const byPlace = Prisma.sql`t.priority desc, t.batch_id, t.uid`;
  const begun = Prisma.sql`t.status = 'in_progress'`;
  const parts = [
    one(Prisma.sql`${mine} and ${isInState(["in_work"])}`, Prisma.sql`t.updated_at desc, t.uid`),
    one(Prisma.sql`${mine} and ${isInState(["rework"])}`, Prisma.sql`${lastDecision}, t.uid`),
    one(Prisma.sql`${mine} and t.status = 'pending'`, byPlace),
    one(Prisma.sql`${begun} and ${isOrphan}`, Prisma.sql`${lastDecision}, t.uid`),
    // Project by project, so that each reads only the head of its index.
    Prisma.sql`select n.uid from (${projects} order by p.uid) o cross join lateral (
      select t.uid from tasks t where t.project_id = o.uid and t.status = 'pending' and t.assignee_id is null and ${isFree}
        order by ${byPlace} limit 1 for no key update of t skip locked) n limit 1`,
  ];
  const each = parts.map((part, at) => Prisma.sql`select * from (${part}) ${Prisma.raw(`part_${at}`)}`);
  return Prisma.sql`${Prisma.join(each, " union all ")} limit 1`;
}

/**
 * Gives the caller a task to work on, leased to them; null when there is none. No task is given to two. Throws
 * `invalid("project")` for one that does not exist or is not active.
 */
export async function nextTask(ctx: Ctx, input: NextTask): Promise<TaskForEditor | null> {
  if (input.project !== undefined) {
    const { status } = await namedProject(ctx, "project", input.project);
    if (status !== "active") throw invalid("project", `This project is ${status}.`);
  }
  return showLeased(ctx, await transaction(ctx, (tx) => leaseNext(tx, input)));
}

interface LeasedTask {
  uid: string;
  lease: LeaseResource;
}

/** What an editor shows of a task that was just leased. Outside of that transaction: it reads on connections of its own. */
export const showLeased = async (ctx: Ctx, leased: LeasedTask | null): Promise<TaskForEditor | null> =>
  leased && getTaskForEditor(ctx, leased.uid, leased.lease);

/** Finds and leases the task that `nextTask` gives, inside a transaction; null also for a project that is not active. */
export async function leaseNext(tx: Ctx, input: NextTask): Promise<LeasedTask | null> {
  // The project is not locked: whoever has it waits for a task, and this transaction must not wait for it then.
  const [found] = await query(tx, { uid: text }, findNext(tx, input));
  if (!found) return null;
  const task = await getTask(tx, found.uid);
  const lease = await startLeased(tx, { task, project: await getProject(tx, task.project) });
  return { uid: task.uid, lease };
}
