import { roles } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import { releaseItems } from "@/server/features/projects/lifecycle-service";
import { mayLabel } from "@/server/features/projects/people-queries";
import { endLease } from "@/server/features/tasks/lease-service";
import { lockTask, visibleTasks } from "@/server/features/tasks/service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { bool, notNull, nullable, oneOf, text } from "@/server/platform/rows";

const over = Prisma.sql`('canceled', 'archived')`;

interface Holder {
  user: string;
  /** Null for who is no member any more. */
  role: (typeof roles)[number] | null;
  read_only: boolean | null;
}

/** SQL: the holder may go on with the task `t`: they still see it and label there, and its project is not over. */
function mayGoOn(ctx: Ctx, { user, role, read_only: readOnly }: Holder): Prisma.Sql {
  if (role === null || readOnly === true) return Prisma.sql`false`;
  const as: Ctx = {
    ...ctx,
    actor: { ...ctx.actor, userId: user },
    permissions: { ...ctx.permissions, role, readOnly: false },
  };
  return Prisma.sql`(${visibleTasks(as)} and exists (select 1 from projects p
    where p.uid = t.project_id and p.status not in ${over} and ${mayLabel(as)}))`;
}

/** The tasks `t` of a condition that somebody has who may not go on with them. */
async function listLost(ctx: Ctx, condition: Prisma.Sql): Promise<string[]> {
  const holders = await query(
    ctx,
    { user: notNull(text), role: nullable(oneOf(roles)), read_only: nullable(bool) },
    Prisma.sql`select h.user, m.role, m.read_only from (select distinct t.lease_user as user from tasks t
        where t.organization_id = ${ctx.organizationId} and t.lease_user is not null and ${condition}) h
      left join memberships m on m.user_id = h.user and m.organization_id = ${ctx.organizationId}`,
  );
  const lost: string[] = [];
  for (const holder of holders) {
    const tasks = await query(
      ctx,
      { uid: text },
      Prisma.sql`select t.uid from tasks t where t.lease_user = ${holder.user} and t.organization_id = ${ctx.organizationId}
        and ${condition} and not ${mayGoOn(ctx, holder)} order by t.project_id, t.uid`,
    );
    lost.push(...tasks.map(({ uid }) => uid));
  }
  return lost;
}

/**
 * Ends the leases of people who left an organization, do not see a task any more or may not label there, and of projects that
 * are over. Their tasks wait for others, with what is drawn; of projects that are over that is deleted 30 days later.
 * Returns how many leases.
 */
export async function endLostWork(organizationId: string): Promise<number> {
  const system = systemContext(prisma, organizationId);
  let count = 0;
  for (const uid of await listLost(system, Prisma.sql`true`)) {
    count += await transaction(system, async (tx) => {
      const locked = await lockTask(tx, uid);
      // Given back, submitted, or gone to somebody else in the meantime.
      if ((await listLost(tx, Prisma.sql`t.uid = ${uid}`)).length === 0) return 0;
      await execute(
        tx,
        Prisma.sql`update tasks set assignee_id = null, assigned_by = null
          where uid = ${uid} and organization_id = ${organizationId} and assignee_id = lease_user`,
      );
      await endLease(tx, locked, null);
      if (locked.project.status === "canceled")
        await releaseItems(tx, locked.project, Prisma.sql`i.uid = ${locked.task.dataset_item}`);
      await audit(tx, { action: "task.lease_over", targetType: "task", targetId: uid, targetName: locked.task.name });
      return 1;
    });
  }
  await execute(
    system,
    Prisma.sql`update tasks set assignee_id = null, assigned_by = null
      where organization_id = ${organizationId} and status <> 'completed' and assignee_id is not null and lease_user is null
        and not exists (select 1 from memberships m where m.user_id = assignee_id and m.organization_id = ${organizationId})`,
  );
  await execute(
    system,
    Prisma.sql`update task_drafts d set ended_at = ${databaseNow()}::timestamptz from tasks t, projects p
      where t.uid = d.task_id and p.uid = t.project_id and p.status in ${over} and d.ended_at is null
        and d.organization_id = ${organizationId}`,
  );
  return count;
}
