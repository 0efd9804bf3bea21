import { itemStatuses, type ItemStatus } from "@/domain/datasets/item-status";
import type { DatasetListFilters, DatasetPath } from "@/domain/datasets/schema";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { getDataset, listDatasets } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { arrayOf, bool, int4, notNull, nullable, oneOf, text } from "@/server/platform/rows";

const thumbnails = 4;

/** How many items of a dataset are in each state, and how many have annotations. */
interface ItemCounts {
  statuses: Partial<Record<ItemStatus, number>>;
  labelled: number;
}

/** A dataset as its screens show it. */
export interface DatasetOverview extends DatasetResource {
  demo: boolean;
  /** The newest items that have a thumbnail, at most four. */
  thumbnails: string[];
  counts: ItemCounts;
  /** Unfinished projects over it that the caller sees. */
  projects: string[];
  /** The bucket of its files; null for Muster's own storage. */
  bucket: { name: string; failing: boolean } | null;
  /** While it is read: how many files are left. */
  pending: number | null;
  /** The first reason why a file of it could not be read. */
  failure: string | null;
}

const extraRow = {
  uid: text,
  demo: bool,
  thumbnails: notNull(arrayOf(text)),
  projects: notNull(arrayOf(text)),
  bucket: nullable(text),
  failing: bool,
  failure: nullable(text),
};

const readExtras = (ctx: Ctx, uids: readonly string[]) =>
  sql(
    extraRow,
    Prisma.sql`select d.uid, d.demo, c.name as bucket, c.failing_since is not null as failing,
        array(select n.uid from (
          select i.uid, i.thumbnail_key from items i where i.dataset_id = d.uid order by i.uid desc limit 50) n
          where n.thumbnail_key is not null order by n.uid desc limit ${thumbnails}) as thumbnails,
        array(select p.name from annotated_datasets pd join projects p on p.uid = pd.project_id
          where pd.dataset_id = d.uid and p.status in ('pending-approval', 'active', 'paused')
            and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} order by p.uid limit 5) as projects,
        (select s.failures -> 0 ->> 'error' from upload_sessions s
          where s.dataset_id = d.uid and d.status = 'failed' order by s.uid desc limit 1) as failure
      from datasets d
      left join storage_configs c on c.uid = d.storage_config_id and c.organization_id = d.organization_id
      where d.organization_id = ${ctx.organizationId} and d.uid = any(${[...uids]})`,
  );

const countRow = { dataset_id: text, status: oneOf(itemStatuses), count: int4, labelled: int4 };

/** The kept counts of items, which cost the same for any number of them. */
async function countItems(ctx: Ctx, uids: readonly string[]): Promise<Map<string, ItemCounts>> {
  const rows = await query(
    ctx,
    countRow,
    Prisma.sql`select c.dataset_id, c.status, sum(c.count)::int as count,
        coalesce(sum(c.count) filter (where c.labelled), 0)::int as labelled
      from item_counts c join datasets d on d.uid = c.dataset_id and d.organization_id = ${ctx.organizationId}
      where c.dataset_id = any(${[...uids]}) group by 1, 2 having sum(c.count) <> 0`,
  );
  const counts = new Map<string, ItemCounts>(uids.map((uid) => [uid, { statuses: {}, labelled: 0 }]));
  for (const { dataset_id, status, count, labelled } of rows) {
    const of = counts.get(dataset_id);
    if (!of) continue;
    of.statuses[status] = count;
    of.labelled += labelled;
  }
  return counts;
}

async function addExtras(ctx: Ctx, datasets: readonly DatasetResource[]): Promise<DatasetOverview[]> {
  const uids = datasets.map(({ uid }) => uid);
  if (uids.length === 0) return [];
  const [extras, counts] = await Promise.all([readExtras(ctx, uids), countItems(ctx, uids)]);
  const byUid = new Map(extras.map((each) => [each.uid, each]));
  return datasets.map((dataset) => {
    const extra = byUid.get(dataset.uid);
    const of = counts.get(dataset.uid) ?? { statuses: {}, labelled: 0 };
    return {
      ...dataset,
      demo: extra?.demo ?? false,
      thumbnails: extra?.thumbnails ?? [],
      projects: extra?.projects ?? [],
      bucket: extra?.bucket ? { name: extra.bucket, failing: extra.failing } : null,
      failure: extra?.failure ?? null,
      counts: of,
      pending: dataset.status === "creating" ? (of.statuses.pending ?? null) : null,
    };
  });
}

/** The list of datasets with what its screen shows beside them. */
export async function listDatasetOverviews(ctx: Ctx, filters: DatasetListFilters): Promise<Page<DatasetOverview>> {
  const page = await listDatasets(ctx, filters);
  return { ...page, results: await addExtras(ctx, page.results) };
}

/** One dataset with what its page shows beside it. Throws `not_found`. */
export async function getDatasetOverview(ctx: Ctx, path: DatasetPath): Promise<DatasetOverview> {
  const [overview] = await addExtras(ctx, [await getDataset(ctx, path)]);
  if (!overview) throw new Error("a dataset without an overview");
  return overview;
}
