import type { NextTask } from "@/domain/tasks/labelling-schema";
import { isItemVisible, isVisible } from "@/server/features/membership/assignment-queries";
import { mayLabel } from "@/server/features/projects/people-queries";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

// As the indexes tasks_next_idx and tasks_left_idx have them.
const waitsIn = Prisma.sql`(case when t.status = 'pending' then t.project_id end)`;
const waitsFor = Prisma.sql`coalesce(t.assignee_id, '')`;
const isLeftIn = Prisma.sql`(case when t.status = 'in_progress' and t.assignee_id is null then t.project_id end)`;
const byPlace = Prisma.sql`t.priority desc, t.batch_id, t.uid`;

/**
 * SQL: finds and locks the task that the caller works on next: one in work of theirs that no tab has, their rework, what is
 * assigned to them, what nobody has any more that was begun, and then what waits. Those that others are just given are
 * passed over; a part is only read when those before it have nothing. Of what the caller has not begun, each project's part
 * of an index is read from its head, so that it costs nothing how much there is: no condition here lets another index be read.
 */
export function nextStatement(ctx: Ctx, { project, not }: NextTask, { isLocked = true } = {}): Prisma.Sql {
  const person = ctx.actor.userId ?? "";
  const projects = Prisma.sql`select p.uid from projects p where p.organization_id = ${ctx.organizationId} and p.status = 'active'
    and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} and ${mayLabel(ctx)} ${project === undefined ? Prisma.empty : Prisma.sql`and p.uid = ${project}`}`;
  const isOffered = Prisma.sql`t.uid <> all(${not}) and ${isItemVisible(ctx, Prisma.sql`t.item_id`, "one by one")}`;
  const lock = isLocked ? Prisma.sql`for no key update of t skip locked` : Prisma.empty;
  const begun = Prisma.sql`select t.uid from tasks t cross join lateral (
      select coalesce(bool_or(r.status = 'rejected'), false) as came_back, max(r.decided_at) as decided_at
        from results r where r.task_id = t.uid) r
    where t.assignee_id = ${person} and t.status = 'in_progress' and (select true from o where o.uid = t.project_id) and ${isOffered}
      and (t.lease_until is null or t.lease_until <= ${databaseNow()}::timestamptz)
    order by r.came_back, case when not r.came_back then t.updated_at end desc nulls last, r.decided_at, t.uid limit 1 ${lock}`;
  const head = (condition: Prisma.Sql, order: Prisma.Sql) =>
    Prisma.sql`select t.* from tasks t where ${condition} and ${isOffered} order by ${order} limit 1`;
  const take = (from: Prisma.Sql, condition: Prisma.Sql, order: Prisma.Sql) =>
    Prisma.sql`select n.uid from (${from}) o cross join lateral (${head(condition, order)} ${lock}) n limit 1`;
  const inOrder = Prisma.sql`select o.uid from o order by o.uid`;
  const waits = (who: string) => Prisma.sql`${waitsIn} = o.uid and ${waitsFor} = ${who}`;
  // The project first whose head comes before those of others.
  const byHead = Prisma.sql`select t.project_id as uid from o cross join lateral (${head(waits(person), byPlace)}) t order by ${byPlace}`;
  const parts = [
    begun,
    take(byHead, waits(person), byPlace),
    take(inOrder, Prisma.sql`${isLeftIn} = o.uid`, Prisma.sql`t.uid`),
    take(inOrder, waits(""), byPlace),
  ];
  const each = parts.map((part, at) => Prisma.sql`select * from (${part}) ${Prisma.raw(`part_${at}`)}`);
  return Prisma.sql`with o as materialized (${projects}) ${Prisma.join(each, " union all ")} limit 1`;
}

/** The task that the caller is probably given next in a project, without taking it; null where there is none. */
export async function findNextHint(ctx: Ctx, input: NextTask): Promise<string | null> {
  if (ctx.permissions.readOnly) return null;
  const [found] = await query(ctx, { uid: text }, nextStatement(ctx, input, { isLocked: false }));
  return found?.uid ?? null;
}
