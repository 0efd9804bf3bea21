import { hasRole } from "@/domain/permissions";
import type { ProjectRole } from "@/domain/projects/schema";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { forbidden } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";

/** SQL: the user is listed with the role in the project that the column names. */
const isListed = (user: string | null, role: ProjectRole, project: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`exists (select 1 from project_people l where l.project_id = ${project} and l.user_id = ${user ?? ""} and l.role = ${role})`;

/** SQL: the user may label in the project `p`, if they see it: as everybody where it is open, or as its annotator. */
const isAnnotator = (user: string | null): Prisma.Sql =>
  Prisma.sql`(p.annotators_open or ${isListed(user, "annotator", Prisma.sql`p.uid`)})`;

/** SQL: the caller may label in the project `p`, if they see it. */
export const mayLabel = (ctx: Ctx): Prisma.Sql =>
  hasRole(ctx.permissions, "admin") ? Prisma.sql`true` : isAnnotator(ctx.actor.userId);

/** Whether a condition holds for a project `p` of the organization. */
async function holds(ctx: Ctx, uid: string, condition: Prisma.Sql): Promise<boolean> {
  const found = await query(
    ctx,
    { uid: text },
    Prisma.sql`select p.uid from projects p where p.uid = ${uid} and p.organization_id = ${ctx.organizationId} and ${condition}`,
  );
  return found.length > 0;
}

/** Whether a member who is no admin may label in a project that they see. */
export const annotates = (ctx: Ctx, uid: string, user: string): Promise<boolean> => holds(ctx, uid, isAnnotator(user));

/** Refuses (403) to label in a project whose annotators are listed, but for them and admins. */
export async function requireAnnotator(ctx: Ctx, uid: string): Promise<void> {
  if (!hasRole(ctx.permissions, "admin") && !(await holds(ctx, uid, mayLabel(ctx)))) throw forbidden();
}

/** Whether the caller decides results of a project: as an admin, or as its reviewer. */
export const isReviewer = async (ctx: Ctx, uid: string): Promise<boolean> =>
  hasRole(ctx.permissions, "admin") ||
  (await holds(ctx, uid, isListed(ctx.actor.userId, "reviewer", Prisma.sql`p.uid`)));

/** Refuses (403) those who do not. */
export async function requireReviewer(ctx: Ctx, uid: string): Promise<void> {
  if (!(await isReviewer(ctx, uid))) throw forbidden();
}
