import { accesses } from "@/domain/organizations/assignment";
import { projectStatuses, QualityTarget, taskTypes } from "@/domain/projects/schema";
import type { ProjectListFilters } from "@/domain/projects/screen-schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { bool, int4, jsonb, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

export const overviewRow = {
  uid: text,
  name: text,
  task_type: oneOf(taskTypes),
  status: oneOf(projectStatuses),
  access: oneOf(accesses),
  short_description: text,
  quality_target: nullable(jsonb(QualityTarget)),
  task_count: int4,
  completed_count: int4,
  accepted_count: int4,
  rejected_count: int4,
  skipped_count: int4,
  /** Those assigned to it; whoever may, if its access is `organization`. */
  member_count: int4,
  created_by_uid: nullable(text),
  /** The person who made it; null when they left, or when nobody did. */
  created_by: nullable(text),
  created_at: timestamptz,
  updated_at: timestamptz,
  demo: bool,
};
/** A project as its screens show it. */
export type ProjectOverview = Wire<typeof overviewRow>;

export const overviewColumns = Prisma.sql`p.uid, p.name, p.task_type, p.status, p.access, p.short_description, p.quality_target,
    p.task_count, p.completed_count, p.accepted_count, p.rejected_count, p.skipped_count,
    (select count(*)::int from project_members m where m.project_id = p.uid) as member_count,
    p.created_by_id as created_by_uid, u.username as created_by, p.created_at, p.updated_at, p.demo`;
export const overviewTables = Prisma.sql`projects p left join users u on u.uid = p.created_by_id`;

/** SQL: the caller sees the project `p`. */
export const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`p.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`p.uid`)}`;

/** The projects that the caller sees, newest first unless ordered otherwise. */
export async function listProjectOverviews(ctx: Ctx, filters: ProjectListFilters): Promise<Page<ProjectOverview>> {
  const { limit, cursor, ordering, status, search, demo } = filters;
  return keysetPage<ProjectOverview>(ctx, {
    name: "project-overviews",
    filters: { status, search, demo },
    page: { limit, cursor },
    ...toOrder<ProjectOverview>(ordering ?? "-created_at", "p.uid", {
      name: { column: "p.name", key: ({ name }) => name },
    }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        overviewRow,
        Prisma.sql`select ${overviewColumns} from ${overviewTables} where ${visible(ctx)} and ${where}
          ${status ? Prisma.sql`and p.status = any(${status})` : Prisma.empty}
          ${demo === undefined ? Prisma.empty : Prisma.sql`and p.demo = ${demo}`}
          ${search ? Prisma.sql`and (p.name ilike ${`%${likeText(search)}%`} or p.uid like ${`${likeText(search)}%`})` : Prisma.empty}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}
