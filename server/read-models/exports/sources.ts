import type { ExportSourceFilters } from "@/domain/exports/schema";
import { isVisible } from "@/server/features/organizations/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { bool, int4, nullable, oneOf, text, type Wire } from "@/server/platform/rows";

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
};
/** What an export can be made of. */
export type OfferedSource = Wire<typeof sourceRow>;

/** Datasets, slices and projects by part of their names, the newest of each kind. */
export function listSources(ctx: Ctx, { search = "" }: ExportSourceFilters): Promise<OfferedSource[]> {
  const { organizationId } = ctx;
  const named = (column: Prisma.Sql) => Prisma.sql`${column} ilike ${`%${likeText(search)}%`}`;
  return sql(
    sourceRow,
    Prisma.sql`
      (select 'dataset' as kind, d.uid, d.name, d.item_count as count, null::text as dataset from datasets d
        where d.organization_id = ${organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}
          and ${named(Prisma.sql`d.name`)} order by d.uid desc limit ${maxOffered})
      union all
      (select 'slice', s.uid, s.name, s.item_count, d.name from slices s join datasets d on d.uid = s.dataset_id
        where s.organization_id = ${organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`s.dataset_id`)}
          and ${named(Prisma.sql`s.name`)} order by s.uid desc limit ${maxOffered})
      union all
      (select 'project', p.uid, p.name, p.task_count, null from projects p
        where p.organization_id = ${organizationId} and ${isVisible(ctx, "project", Prisma.sql`p.uid`)}
          and ${named(Prisma.sql`p.name`)} order by p.uid desc limit ${maxOffered})`,
  );
}

/** The names of chosen sources; those that do not exist or that the caller does not see are left out. */
export function listChosenSources(ctx: Ctx, uids: readonly string[]): Promise<OfferedSource[]> {
  const { organizationId } = ctx;
  return sql(
    sourceRow,
    Prisma.sql`
      select 'dataset' as kind, d.uid, d.name, d.item_count as count, null::text as dataset from datasets d
        where d.organization_id = ${organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)} and d.uid = any(${[...uids]})
      union all
      select 'slice', s.uid, s.name, s.item_count, d.name from slices s join datasets d on d.uid = s.dataset_id
        where s.organization_id = ${organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`s.dataset_id`)} and s.uid = any(${[...uids]})
      union all
      select 'project', p.uid, p.name, p.task_count, null from projects p
        where p.organization_id = ${organizationId} and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} and p.uid = any(${[...uids]})`,
  );
}

const bucketRow = { uid: text, name: text, bucket: text, is_verified: bool };

/** The buckets that an export can be stored in, by name. */
export const listBuckets = (ctx: Ctx): Promise<Wire<typeof bucketRow>[]> =>
  sql(
    bucketRow,
    Prisma.sql`select c.uid, c.name, c.bucket, c.is_verified from storage_configs c
      where c.organization_id = ${ctx.organizationId} order by c.name, c.uid limit 100`,
  );
