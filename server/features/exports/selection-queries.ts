import { z } from "zod";
import { Label } from "@/domain/projects/schema";
import { parseFilter } from "@/domain/slices/filter";
import { StoredAnnotation } from "@/domain/tasks/schema";
import { filterSql } from "@/server/features/slices/filter-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, int8, jsonb, jsonbObject, type Native, text } from "@/server/platform/rows";

/** What an export selects, as stored in its row. */
export interface ExportSelection {
  datasets: string[];
  slices: string[];
  projects: string[];
  filter: string;
}

export interface SelectedDataset {
  uid: string;
  name: string;
  slug: string;
  /** SQL condition for its `items i` that are exported. */
  where: Prisma.Sql;
}

const selectedItemRow = {
  uid: text,
  key: text,
  metadata: jsonbObject,
  media_type: text,
  storage_key: text,
  size_bytes: int8,
};
export type SelectedItem = Native<typeof selectedItemRow>;

const selectedResultRow = {
  uid: text,
  item_id: text,
  project_id: text,
  annotations: jsonb(z.array(StoredAnnotation)),
};
export type SelectedResult = Native<typeof selectedResultRow>;

const selectedProjectRow = { uid: text, name: text, labels: jsonb(z.array(Label)) };
export type SelectedProject = Native<typeof selectedProjectRow>;

/** Number of items of one query; only these and their results are in memory. */
const chunk = 250;

/** The datasets and items that an export contains, without those deleted since it was requested. */
export async function selectedDatasets(ctx: Ctx, selection: ExportSelection): Promise<SelectedDataset[]> {
  const { organizationId } = ctx;
  const slices = await ctx.db.slice.findMany({
    where: { organizationId, uid: { in: selection.slices } },
    select: { datasetId: true, filter: true },
  });
  const ofProjects = await ctx.db.projectDataset.findMany({
    where: { projectId: { in: selection.projects }, project: { organizationId } },
    select: { datasetId: true },
  });
  const uids = [
    ...new Set([
      ...selection.datasets,
      ...slices.map(({ datasetId }) => datasetId),
      ...ofProjects.map(({ datasetId }) => datasetId),
    ]),
  ];
  const datasets = await ctx.db.dataset.findMany({
    where: { organizationId, uid: { in: uids } },
    orderBy: { uid: "asc" },
    select: { uid: true, name: true, slug: true },
  });
  const filter = filterSql(parseFilter(selection.filter));
  return datasets.map((dataset) => {
    const parts = slices
      .filter(({ datasetId }) => datasetId === dataset.uid)
      .map((slice) => filterSql(parseFilter(slice.filter)));
    if (selection.datasets.includes(dataset.uid)) parts.push(Prisma.sql`true`);
    if (selection.projects.length > 0) {
      parts.push(
        Prisma.sql`exists (select 1 from tasks t where t.item_id = i.uid and t.project_id = any(${selection.projects}))`,
      );
    }
    return {
      ...dataset,
      where: Prisma.sql`i.dataset_id = ${dataset.uid} and i.status <> 'pending' and (${Prisma.join(parts, " or ")}) and ${filter}`,
    };
  });
}

export async function countItems(ctx: Ctx, datasets: readonly SelectedDataset[]): Promise<number> {
  let total = 0;
  for (const { where } of datasets) {
    const [row] = await query(
      ctx,
      { count: int4 },
      Prisma.sql`select count(*)::int as count from items i where ${where}`,
    );
    total += row?.count ?? 0;
  }
  return total;
}

/** The items of one dataset in the order of their uids, in chunks. */
export async function* readItems(ctx: Ctx, { where }: SelectedDataset): AsyncGenerator<SelectedItem[]> {
  for (let after = ""; ;) {
    const items = await query(
      ctx,
      selectedItemRow,
      Prisma.sql`select i.uid, i.key, i.metadata, i.media_type, i.storage_key, i.size_bytes from items i
        where ${where} and i.uid > ${after} order by i.uid limit ${chunk}`,
    );
    if (items.length === 0) return;
    yield items;
    after = items.at(-1)?.uid ?? "";
  }
}

/** SQL condition for `results r` that are exported: not rejected, and of the given projects, if any. */
export const isExportedResult = (projects: readonly string[]): Prisma.Sql =>
  Prisma.sql`r.status <> 'rejected' ${projects.length > 0 ? Prisma.sql`and r.project_id = any(${[...projects]})` : Prisma.empty}`;

/** The exported results of items. */
export const selectResults = (
  ctx: Ctx,
  items: readonly SelectedItem[],
  projects: readonly string[],
): Promise<SelectedResult[]> =>
  query(
    ctx,
    selectedResultRow,
    Prisma.sql`select r.uid, r.item_id, r.project_id, r.annotations from results r
      where r.item_id = any(${items.map(({ uid }) => uid)}) and ${isExportedResult(projects)}
      order by r.item_id, r.uid`,
  );

/** The projects whose results an export contains: those selected, or all that annotate its datasets. */
export const selectProjects = (
  ctx: Ctx,
  selection: ExportSelection,
  datasets: readonly SelectedDataset[],
): Promise<SelectedProject[]> =>
  query(
    ctx,
    selectedProjectRow,
    Prisma.sql`select p.uid, p.name, p.labels from projects p where p.organization_id = ${ctx.organizationId} and
      ${
        selection.projects.length > 0
          ? Prisma.sql`p.uid = any(${selection.projects})`
          : Prisma.sql`exists (select 1 from project_datasets pd where pd.project_id = p.uid and pd.dataset_id = any(${datasets.map(({ uid }) => uid)}))`
      } order by p.uid`,
  );
