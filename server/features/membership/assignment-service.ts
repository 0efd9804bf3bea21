import type { AssignMember } from "@/domain/organizations/assignment";
import { audit } from "@/server/features/audit/service";
import { namedMember } from "@/server/features/membership/access-service";
import { assignables, type Assignable } from "@/server/features/membership/assignment-queries";
import { announceAccess } from "@/server/features/membership/change-audience-service";
import type { AssignedMember } from "@/server/features/membership/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { text, timestamptz } from "@/server/platform/rows";

/** What members are assigned to; its service has checked that the caller sees it. */
export interface AssignedObject {
  kind: Assignable;
  uid: string;
  name: string;
}

const columns = Prisma.sql`a.user_id as user_uid, u.username, u.email, a.created_at as assigned_at`;
const row = { user_uid: text, username: text, email: text, assigned_at: timestamptz };

/** Who is assigned to a dataset or project, by user. */
export async function listAssigned(
  ctx: Ctx,
  { kind, uid }: Pick<AssignedObject, "kind" | "uid">,
  page: { limit: number; cursor?: string | undefined },
): Promise<Page<AssignedMember>> {
  const { members, column } = assignables[kind];
  return keysetPage<AssignedMember>(ctx, {
    name: `${kind}-members`,
    filters: { uid },
    page,
    order: { columns: ["a.user_id"], direction: "asc" },
    key: (member) => [member.user_uid],
    fetch: ({ where, orderBy, limit }) =>
      sql(
        row,
        Prisma.sql`select ${columns} from ${members} a join users u on u.uid = a.user_id
          where a.${column} = ${uid} and a.organization_id = ${ctx.organizationId} and ${where}
          order by ${orderBy} limit ${limit}`,
      ),
  });
}

const toEntry = ({ kind, uid, name }: AssignedObject, verb: string, username: string) => ({
  action: `${kind}.member_${verb}`,
  targetType: kind,
  targetId: uid,
  targetName: name,
  after: { username },
});

/** Assigns a member of the organization; repeated calls return the same. Throws `invalid("user")`. */
export async function assignMember(ctx: Ctx, object: AssignedObject, { user }: AssignMember): Promise<AssignedMember> {
  return transaction(ctx, async (tx) => {
    const { members, column } = assignables[object.kind];
    const { uid: userId, username } = await namedMember(tx, "user", user);
    const added = await execute(
      tx,
      Prisma.sql`insert into ${members} (${column}, user_id, organization_id)
        values (${object.uid}, ${userId}, ${tx.organizationId}) on conflict do nothing`,
    );
    if (added > 0) {
      await audit(tx, toEntry(object, "added", username));
      await announceAccess(tx, userId);
    }
    const [member] = await query(
      tx,
      row,
      Prisma.sql`select ${columns} from ${members} a join users u on u.uid = a.user_id
        where a.${column} = ${object.uid} and a.user_id = ${userId}`,
    );
    if (!member) throw notFound();
    return { ...member, assigned_at: member.assigned_at.toISOString() };
  });
}

/** Takes an assignment back. Throws `not_found` for somebody who is not assigned. */
export async function unassignMember(ctx: Ctx, object: AssignedObject, userUid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { members, column } = assignables[object.kind];
    const [gone] = await query(
      tx,
      { username: text },
      Prisma.sql`delete from ${members} a using users u
        where u.uid = a.user_id and a.${column} = ${object.uid} and a.user_id = ${userUid}
          and a.organization_id = ${tx.organizationId}
        returning u.username`,
    );
    if (!gone) throw notFound();
    await audit(tx, toEntry(object, "removed", gone.username));
    await announceAccess(tx, userUid);
  });
}

/** Takes all assignments of somebody who leaves the organization, and what they did in projects. */
export async function unassignEverywhere(tx: Ctx, userUid: string): Promise<void> {
  const tables = [...Object.values(assignables).map(({ members }) => members), Prisma.sql`project_people`];
  for (const table of tables) {
    await execute(
      tx,
      Prisma.sql`delete from ${table} where user_id = ${userUid} and organization_id = ${tx.organizationId}`,
    );
  }
}

/**
 * Before a dataset or slice is deleted: what was made from it is the admins' alone from then on, if only assigned members
 * see it.
 */
export async function leaveToAdmins(tx: Ctx, from: { dataset: string; slice?: string }): Promise<void> {
  const dataset = Prisma.sql`(select d.uid from datasets d
    where d.uid = ${from.dataset} and d.organization_id = ${tx.organizationId} and d.access = 'assigned')`;
  const holds =
    from.slice === undefined
      ? Prisma.sql`${dataset} = any(e.datasets) or e.slices && array(select s.uid from slices s where s.dataset_id = ${dataset})
          or e.projects && array(select p.project_id from annotated_datasets p where p.dataset_id = ${dataset})`
      : Prisma.sql`${from.slice} = any(e.slices) and ${dataset} is not null`;
  await execute(
    tx,
    Prisma.sql`update exports e set admins_only = true where e.organization_id = ${tx.organizationId} and (${holds})`,
  );
  if (from.slice === undefined)
    await execute(tx, Prisma.sql`update model_runs set admins_only = true where dataset_id = ${dataset}`);
}
