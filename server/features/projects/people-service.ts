import { type ProjectRole, projectRoles, type SetProjectPerson } from "@/domain/projects/schema";
import { audit } from "@/server/features/audit/service";
import { namedMember } from "@/server/features/membership/access-service";
import { assignMember } from "@/server/features/membership/assignment-service";
import { endLostWork } from "@/server/features/membership/lost-access-service";
import type { ProjectPersonResource, ProjectResource } from "@/server/features/projects/resource";
import { getProject } from "@/server/features/projects/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, bool, oneOf, text } from "@/server/platform/rows";

const row = { user_uid: text, username: text, roles: arrayOf(oneOf(projectRoles)), has_access: bool };

/** SQL: a line for each user of the project with what they do in it. */
const people = (uid: string, condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select g.user_id as user_uid, u.username, g.roles,
    (p.access <> 'assigned' or m.role in ('owner', 'admin')
      or exists (select 1 from project_members a where a.project_id = p.uid and a.user_id = g.user_id)) as has_access
  from (select l.user_id, array_agg(l.role order by l.role) as roles from project_people l
      where l.project_id = ${uid} and ${condition} group by l.user_id) g
    join projects p on p.uid = ${uid}
    join users u on u.uid = g.user_id
    join memberships m on m.user_id = g.user_id and m.organization_id = p.organization_id`;

/** The annotators and reviewers of a project, by user. Throws `not_found`. */
export async function listProjectPeople(
  ctx: Ctx,
  uid: string,
  page: { limit: number; cursor?: string | undefined },
): Promise<Page<ProjectPersonResource>> {
  await getProject(ctx, uid);
  return keysetPage<ProjectPersonResource>(ctx, {
    name: "project-people",
    filters: { uid },
    page,
    order: { columns: ["g.user_id"], direction: "asc" },
    key: (person) => [person.user_uid],
    fetch: ({ where, orderBy, limit }) =>
      sql(row, Prisma.sql`${people(uid, Prisma.sql`true`)} where ${where} order by ${orderBy} limit ${limit}`),
  });
}

async function getPerson(ctx: Ctx, uid: string, user: string): Promise<ProjectPersonResource> {
  const [person] = await query(ctx, row, people(uid, Prisma.sql`l.user_id = ${user}`));
  if (!person) throw notFound();
  return person;
}

async function changed(tx: Ctx, { uid, name }: ProjectResource, username: string, roles: readonly ProjectRole[]) {
  const after = { username, roles: [...roles] };
  await audit(tx, { action: "project.people_changed", targetType: "project", targetId: uid, targetName: name, after });
  await announce(tx, "project", uid, "updated");
}

/**
 * Says what a member does in a project; repeated calls return the same. Where only assigned members see the project, the
 * member is assigned too. Throws `not_found`, `invalid("user")`.
 */
export async function setProjectPerson(
  ctx: Ctx,
  uid: string,
  { user, roles }: SetProjectPerson,
): Promise<ProjectPersonResource> {
  return transaction(ctx, async (tx) => {
    const project = await getProject(tx, uid, Prisma.sql`for no key update of p`);
    const { uid: userId, username } = await namedMember(tx, "user", user);
    const gone = await execute(
      tx,
      Prisma.sql`delete from project_people where project_id = ${uid} and user_id = ${userId} and role <> all(${roles})`,
    );
    const added = await execute(
      tx,
      Prisma.sql`insert into project_people (project_id, user_id, organization_id, role)
        select ${uid}, ${userId}, ${tx.organizationId}, r from unnest(${roles}::text[]) r on conflict do nothing`,
    );
    if (gone + added > 0) await changed(tx, project, username, roles);
    if (gone > 0) await endLostWork(tx);
    if (!(await getPerson(tx, uid, userId)).has_access)
      await assignMember(tx, { kind: "project", uid, name: project.name }, { user: userId });
    return getPerson(tx, uid, userId);
  });
}

/** Ends what a member does in a project; whether they see it stays. Throws `not_found` for others. */
export async function removeProjectPerson(ctx: Ctx, uid: string, userUid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const project = await getProject(tx, uid, Prisma.sql`for no key update of p`);
    const { username } = await getPerson(tx, uid, userUid);
    await execute(tx, Prisma.sql`delete from project_people where project_id = ${uid} and user_id = ${userUid}`);
    await changed(tx, project, username, []);
    await endLostWork(tx);
  });
}
