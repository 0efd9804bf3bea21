import type { ExportSourceFilters } from "@/domain/exports/schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { arrayOf, bool, int4, nullable, oneOf, text, type Wire } from "@/server/platform/rows";

/** How many of each kind are offered. */
const maxOffered = 20;

const sourceRow = {
  kind: oneOf(["dataset", "slice", "project"]),
  uid: text,
  name: text,
  /** The items of a dataset or slice, the tasks of a project. */
  count: int4,
  /** The dataset of a slice. */
  dataset: nullable(text),
  /** The datasets whose items it may hold. */
  datasets: arrayOf(text),
};
/** What an export can be made of. */
export type OfferedSource = Wire<typeof sourceRow>;

interface Choice {
  where: (source: { uid: Prisma.Sql; name: Prisma.Sql }) => Prisma.Sql;
  limit: number;
}

/** The datasets, slices and projects that the caller sees and that `where` picks, the newest of each kind first. */
function readSources(ctx: Ctx, { where, limit }: Choice): Promise<OfferedSource[]> {
  const { organizationId } = ctx;
  const of = (alias: string) => where({ uid: Prisma.raw(`${alias}.uid`), name: Prisma.raw(`${alias}.name`) });
  const isSeen = (column: Prisma.Sql) => isVisible(ctx, "dataset", column);
  return sql(
    sourceRow,
    Prisma.sql`
      (select 'dataset' as kind, d.uid, d.name, d.item_count as count, null::text as dataset, array[d.uid] as datasets
        from datasets d where d.organization_id = ${organizationId} and ${isSeen(Prisma.sql`d.uid`)} and ${of("d")}
        order by d.uid desc limit ${limit})
      union all
      (select 'slice', s.uid, s.name, s.item_count, d.name, array[d.uid]
        from slices s join datasets d on d.uid = s.dataset_id
        where s.organization_id = ${organizationId} and ${isSeen(Prisma.sql`s.dataset_id`)} and ${of("s")}
        order by s.uid desc limit ${limit})
      union all
      (select 'project', p.uid, p.name, p.task_count, null, array(
          select pd.dataset_id from annotated_datasets pd
          where pd.project_id = p.uid and ${isSeen(Prisma.sql`pd.dataset_id`)} order by pd.position, pd.dataset_id)
        from projects p
        where p.organization_id = ${organizationId} and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} and ${of("p")}
        order by p.uid desc limit ${limit})`,
  );
}

/** Sources by part of their names, the newest of each kind. */
export const listSources = (ctx: Ctx, { search = "" }: ExportSourceFilters): Promise<OfferedSource[]> =>
  readSources(ctx, {
    where: ({ name }) => Prisma.sql`${name} ilike ${`%${likeText(search)}%`}`,
    limit: maxOffered,
  });

/** Chosen sources by uid; those that do not exist or that the caller does not see are left out. */
export const listChosenSources = (ctx: Ctx, uids: readonly string[]): Promise<OfferedSource[]> =>
  readSources(ctx, { where: ({ uid }) => Prisma.sql`${uid} = any(${[...uids]})`, limit: uids.length });

const bucketRow = { uid: text, name: text, bucket: text, is_verified: bool };

/** The buckets that an export can be stored in, by name. */
export const listBuckets = (ctx: Ctx): Promise<Wire<typeof bucketRow>[]> =>
  sql(
    bucketRow,
    Prisma.sql`select c.uid, c.name, c.bucket, c.is_verified from storage_configs c
      where c.organization_id = ${ctx.organizationId} order by c.name, c.uid limit 100`,
  );
