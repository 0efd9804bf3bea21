import { dataTypes } from "@/domain/datasets/schema";
import type { ProjectSources } from "@/domain/projects/screen-schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { int4, oneOf, text, type Native } from "@/server/platform/rows";

/** The maximum of datasets that are offered; a search finds the others. */
const maxOffered = 50;
/** Items that are still to be read are counted up to here. */
const maxPending = 1_000;

const sourceRow = {
  kind: oneOf(["dataset", "slice"]),
  uid: text,
  name: text,
  /** The dataset itself, or that of the slice. */
  dataset: text,
  dataset_name: text,
  data_type: oneOf(dataTypes),
  item_count: int4,
  pending_count: int4,
};
/** A dataset or slice whose items a project would make tasks of. */
export type ProjectSource = Native<typeof sourceRow>;

/** SQL: the sources of a table that were chosen, or whose name fits, those first. */
function found(of: Prisma.Sql, { search, chosen }: ProjectSources): Prisma.Sql {
  const fits = search ? Prisma.sql`${of}.name ilike ${`%${likeText(search)}%`}` : Prisma.sql`true`;
  return Prisma.sql`(${of}.uid = any(${chosen}) or ${fits})
    order by ${of}.uid = any(${chosen}) desc, ${of}.name, ${of}.uid limit ${maxOffered + chosen.length}`;
}

/**
 * The chosen datasets and slices and those that a search finds, chosen ones first, then by name; those that the caller does not
 * see are left out.
 */
export const listProjectSources = (ctx: Ctx, filters: ProjectSources): Promise<ProjectSource[]> =>
  query(
    ctx,
    sourceRow,
    Prisma.sql`select n.* from (
        (select 'dataset' as kind, d.uid, d.name, d.uid as dataset, d.name as dataset_name, d.data_type, d.item_count,
          (select count(*)::int from (select 1 from items i
            where i.dataset_id = d.uid and i.status = 'pending' limit ${maxPending}) waiting) as pending_count
        from datasets d where d.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}
          and ${found(Prisma.sql`d`, filters)})
        union all
        (select 'slice', s.uid, s.name, c.uid, c.name, c.data_type, s.item_count, 0
        from slices s join datasets c on c.uid = s.dataset_id
        where s.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`s.dataset_id`)}
          and ${found(Prisma.sql`s`, filters)})) n
      order by n.uid = any(${filters.chosen}) desc, n.name, n.uid limit ${maxOffered + filters.chosen.length}`,
  );
