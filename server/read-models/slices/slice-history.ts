import { exportStatuses } from "@/domain/exports/schema";
import { projectStatuses } from "@/domain/projects/schema";
import { isExportVisible, isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { getSliceOverview } from "@/server/read-models/slices/slice-list";

const days = 30;
/** How many changes of the filter, and how many exports, are listed. */
const maxListed = 20;

const dayRow = { day: text, item_count: int4, came_count: int4, left_count: int4 };
const filterRow = {
  uid: text,
  before: text,
  after: text,
  /** Null until they were counted. */
  came_count: nullable(int4),
  left_count: nullable(int4),
  changed_by: text,
  created_at: timestamptz,
};

/** What came and left in the last 30 days, on the days on which it was counted, and what other filters did. */
export interface SliceChanges {
  days: Wire<typeof dayRow>[];
  filters: Wire<typeof filterRow>[];
}

/** The changes of a slice, days in their order, filters newest first. Throws `not_found`. */
export async function listSliceChanges(ctx: Ctx, uid: string): Promise<SliceChanges> {
  const slice = await getSliceOverview(ctx, uid);
  const [counts, filters] = await Promise.all([
    sql(
      dayRow,
      Prisma.sql`select to_char(c.day, 'YYYY-MM-DD') as day, c.item_count, c.came_count, c.left_count from slice_counts c
        where c.slice_id = ${slice.uid} and c.day > (now() at time zone 'UTC')::date - ${days}::int order by c.day`,
    ),
    sql(
      filterRow,
      Prisma.sql`select f.uid, f.before, f.after, f.came_count, f.left_count, f.changed_by, f.created_at
        from slice_filter_changes f where f.slice_id = ${slice.uid} and f.created_at > now() - make_interval(days => ${days}::int)
        order by f.uid desc limit ${maxListed}`,
    ),
  ]);
  return { days: counts, filters };
}

const projectRow = { uid: text, name: text, status: oneOf(projectStatuses), created_at: timestamptz };
const exportRow = { uid: text, name: text, status: oneOf(exportStatuses), created_at: timestamptz };

/** What is made of a slice. */
export interface SliceUses {
  /** The newest projects that annotate it. */
  projects: Wire<typeof projectRow>[];
  /** The newest exports that name it. */
  exports: Wire<typeof exportRow>[];
  export_count: number;
  /** Exports that are not finished, and so take their items from the filter that it has then. */
  open_export_count: number;
}

/** What uses a slice. Throws `not_found`. */
export async function listSliceUses(ctx: Ctx, uid: string): Promise<SliceUses> {
  const slice = await getSliceOverview(ctx, uid);
  const ofSlice = Prisma.sql`e.organization_id = ${ctx.organizationId} and ${slice.uid} = any(e.slices) and ${isExportVisible(ctx)}`;
  const [projects, exports, [counted]] = await Promise.all([
    sql(
      projectRow,
      Prisma.sql`select p.uid, p.name, p.status, p.created_at from project_slices ps join projects p on p.uid = ps.project_id
        where ps.slice_id = ${slice.uid} and p.organization_id = ${ctx.organizationId}
          and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} order by p.uid desc limit ${maxListed}`,
    ),
    sql(
      exportRow,
      Prisma.sql`select e.uid, e.name, e.status, e.created_at from exports e where ${ofSlice}
        order by e.uid desc limit ${maxListed}`,
    ),
    sql(
      { count: int4, open: int4 },
      Prisma.sql`select count(*)::int as count, (count(*) filter (where e.status in ('requested', 'exporting')))::int as open
        from exports e where ${ofSlice}`,
    ),
  ]);
  return { projects, exports, export_count: counted?.count ?? 0, open_export_count: counted?.open ?? 0 };
}
