import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

/** As many as a menu shows. */
const maxProjects = 200;

/** The projects that an agent may be limited to, by name. */
export const listProjectChoices = (ctx: Ctx): Promise<{ uid: string; name: string }[]> =>
  sql(
    { uid: text, name: text },
    Prisma.sql`select p.uid, p.name from projects p
      where p.organization_id = ${ctx.organizationId} and p.status not in ('archived', 'canceled')
        and ${isVisible(ctx, "project", Prisma.sql`p.uid`)}
      order by lower(p.name), p.uid limit ${maxProjects}::int`,
  );
