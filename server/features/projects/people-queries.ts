import { hasRole } from "@/domain/permissions";
import type { ProjectRole } from "@/domain/projects/schema";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { forbidden } from "@/server/platform/errors";
import { bool, text } from "@/server/platform/rows";

/** SQL: the user is listed with the role in the project that the column names. */
const isListed = (user: string | null, role: ProjectRole, project: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`exists (select 1 from project_people l where l.project_id = ${project} and l.user_id = ${user ?? ""} and l.role = ${role})`;

/** SQL: the user may label in the project `p`, if they see it: as everybody where it is open, or as its annotator. */
export const isAnnotator = (user: string | null): Prisma.Sql =>
  Prisma.sql`(p.annotators_open or ${isListed(user, "annotator", Prisma.sql`p.uid`)})`;

/** SQL: the caller may label in the project `p`, if they see it. */
export const mayLabel = (ctx: Ctx): Prisma.Sql =>
  hasRole(ctx.permissions, "admin") ? Prisma.sql`true` : isAnnotator(ctx.actor.userId);

async function requireProject(ctx: Ctx, uid: string, condition: Prisma.Sql): Promise<void> {
  if (hasRole(ctx.permissions, "admin")) return;
  const [found] = await query(
    ctx,
    { uid: text },
    Prisma.sql`select p.uid from projects p where p.uid = ${uid} and p.organization_id = ${ctx.organizationId} and ${condition}`,
  );
  if (!found) throw forbidden();
}

/** Refuses (403) to label in a project whose annotators are listed, but for them and admins. */
export const requireAnnotator = (ctx: Ctx, uid: string): Promise<void> => requireProject(ctx, uid, mayLabel(ctx));

/** Whether the caller is listed as a reviewer of the project. */
export async function isListedReviewer(ctx: Ctx, uid: string): Promise<boolean> {
  const [row] = await query(
    ctx,
    { listed: bool },
    Prisma.sql`select ${isListed(ctx.actor.userId, "reviewer", Prisma.sql`${uid}`)} as listed`,
  );
  return row?.listed ?? false;
}

/** Refuses (403) to decide results of a project, but for its reviewers and admins. */
export const requireReviewer = (ctx: Ctx, uid: string): Promise<void> =>
  requireProject(ctx, uid, isListed(ctx.actor.userId, "reviewer", Prisma.sql`p.uid`));
