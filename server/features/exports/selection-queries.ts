import { z } from "zod";
import type { SplitShares } from "@/domain/exports/schema";
import { parseFilter } from "@/domain/items/filter";
import { completeLabels, type Label, StoredLabel } from "@/domain/projects/label-schema";
import { StoredAnnotation } from "@/domain/tasks/schema";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { type Classes, numberClasses } from "@/server/features/exports/class-numbers";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { bool, int4, int8, jsonb, jsonbObject, type Native, notNull, text } from "@/server/platform/rows";

/** What an export selects, as stored in its row. */
export interface ExportSelection {
  datasets: string[];
  slices: string[];
  projects: string[];
  filter: string;
  /** One of `exportedResults`. */
  results: string;
}

/** What an export selects, with how a training set is made of it. */
export interface TrainingSelection extends ExportSelection {
  shares: SplitShares;
  /** Whether a training set holds pictures that nobody labelled. */
  background: boolean;
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
  result_bytes: int8,
  is_picture: bool,
  is_labelled: bool,
  group_hash: int8,
  item_hash: int8,
};
export type SelectedItem = Native<typeof selectedItemRow>;

const selectedResultRow = {
  uid: text,
  item_id: text,
  project_id: text,
  annotations: jsonb(z.array(StoredAnnotation)),
};
export type SelectedResult = Native<typeof selectedResultRow>;

const selectedProjectRow = { uid: text, name: text, labels: jsonb(z.array(StoredLabel)) };
export interface SelectedProject {
  uid: string;
  name: string;
  labels: Label[];
}

/** Number of items of one query. */
const chunk = 250;
/** Items whose results are larger than this together are read in several queries. */
const maxResultBytes = 16 * 1024 * 1024;

/** The datasets and items that an export contains, without those deleted since it was requested. */
export async function selectedDatasets(ctx: Ctx, selection: ExportSelection): Promise<SelectedDataset[]> {
  const { organizationId } = ctx;
  const slices = await ctx.db.slice.findMany({
    where: { organizationId, uid: { in: selection.slices } },
    select: { datasetId: true, filter: true },
  });
  const ofProjects = await query(
    ctx,
    { uid: notNull(text) },
    Prisma.sql`select distinct pd.dataset_id as uid from annotated_datasets pd join projects p on p.uid = pd.project_id
      where p.uid = any(${[...selection.projects]}) and p.organization_id = ${organizationId}`,
  );
  const uids = [
    ...new Set([
      ...selection.datasets,
      ...slices.map(({ datasetId }) => datasetId),
      ...ofProjects.map(({ uid }) => uid),
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

/** How many items an export selects, and how many of them have no accepted result of its projects. */
export async function countSelection(
  ctx: Ctx,
  selection: ExportSelection,
  datasets: readonly SelectedDataset[],
): Promise<{ count: number; without_accepted: number }> {
  const accepted = isExportedResult({ projects: selection.projects, results: "accepted" });
  const total = { count: 0, without_accepted: 0 };
  for (const { where } of datasets) {
    const [row] = await query(
      ctx,
      { count: int4, without_accepted: int4 },
      Prisma.sql`select count(*)::int as count,
          count(*) filter (where not exists (select 1 from results r where r.item_id = i.uid and ${accepted}))::int as without_accepted
        from items i where ${where}`,
    );
    total.count += row?.count ?? 0;
    total.without_accepted += row?.without_accepted ?? 0;
  }
  return total;
}

/** The extensions of the pictures that a training set holds, by media type. */
export const pictureExtensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
};

/** SQL condition for `items i` that a training set can hold: pictures whose size is known. */
export const isPicture = Prisma.sql`(i.media_type = any(${Object.keys(pictureExtensions)}) and case
  when jsonb_typeof(i.metadata -> 'width') = 'number' and jsonb_typeof(i.metadata -> 'height') = 'number'
  then (i.metadata ->> 'width')::float8 > 0 and (i.metadata ->> 'height')::float8 > 0 else false end)`;

/** SQL condition for `items i` of which somebody submitted a result that nobody rejected, in the given projects, if any. */
export const isLabelled = ({ projects }: Pick<ExportSelection, "projects">): Prisma.Sql =>
  Prisma.sql`exists (select 1 from results r where r.item_id = i.uid and ${isExportedResult({ projects, results: "submitted" })})`;

/** A number below 2^48 that every database computes alike. */
const hashed = (of: Prisma.Sql): Prisma.Sql => Prisma.sql`('x' || left(md5(${of}), 12))::bit(48)::int8`;

/**
 * Columns by which a training set is divided. Items with the same `group_hash` are of one recording or sequence, or
 * have the same content.
 */
export const splitHashes = Prisma.sql`${hashed(Prisma.sql`coalesce(i.recording_id, i.metadata #>> '{source,recording_id}', i.sequence_id, i.sha256, i.uid)`)} as group_hash,
  ${hashed(Prisma.sql`i.uid`)} as item_hash`;

/** The items of one dataset in the order of their uids, in chunks. */
export async function* readItems(
  ctx: Ctx,
  { where }: SelectedDataset,
  selection: Pick<ExportSelection, "projects">,
): AsyncGenerator<SelectedItem[]> {
  for (let after = ""; ;) {
    const items = await query(
      ctx,
      selectedItemRow,
      // Joined to the chunk: as an `exists` in the select list, PostgreSQL hashes all of `results` for each chunk.
      Prisma.sql`select i.uid, i.key, i.metadata, i.media_type, i.storage_key, i.size_bytes, own.result_bytes,
          ${isPicture} as is_picture, own.is_labelled, ${splitHashes}
        from (select i.* from items i where ${where} and i.uid > ${after} order by i.uid limit ${chunk}) i
        cross join lateral (
          select coalesce(sum(coalesce(r.annotation_bytes, octet_length(r.annotations::text))), 0)::int8 as result_bytes,
            coalesce(bool_or(${isExportedResult({ projects: selection.projects, results: "submitted" })}), false) as is_labelled
          from results r where r.item_id = i.uid) own
        order by i.uid`,
    );
    if (items.length === 0) return;
    yield items;
    after = items.at(-1)?.uid ?? "";
  }
}

/** SQL condition for `results r` that are exported: accepted or also undecided, and of the given projects, if any. */
export const isExportedResult = ({
  projects,
  results,
}: Pick<ExportSelection, "projects" | "results">): Prisma.Sql => Prisma.sql`
  ${results === "accepted" ? Prisma.sql`r.status = 'accepted'` : Prisma.sql`r.status <> 'rejected'`}
  ${projects.length > 0 ? Prisma.sql`and r.project_id = any(${[...projects]})` : Prisma.empty}`;

/** Consecutive items whose results fit into memory together, at least one. */
function* bundleByResults(items: readonly SelectedItem[]): Generator<SelectedItem[]> {
  let bundle: SelectedItem[] = [];
  let bytes = 0;
  for (const item of items) {
    if (bundle.length > 0 && bytes + Number(item.result_bytes) > maxResultBytes) {
      yield bundle;
      [bundle, bytes] = [[], 0];
    }
    bundle.push(item);
    bytes += Number(item.result_bytes);
  }
  if (bundle.length > 0) yield bundle;
}

/** The exported results of items, by item, in parts that fit into memory. */
export async function* readResults(
  ctx: Ctx,
  items: readonly SelectedItem[],
  selection: ExportSelection,
): AsyncGenerator<{ items: SelectedItem[]; results: ReadonlyMap<string, SelectedResult[]> }, undefined> {
  for (const bundle of bundleByResults(items)) {
    const rows = await query(
      ctx,
      selectedResultRow,
      Prisma.sql`select r.uid, r.item_id, r.project_id, r.annotations from results r
        where r.item_id = any(${bundle.map(({ uid }) => uid)}) and ${isExportedResult(selection)}
        order by r.item_id, r.uid`,
    );
    const results = new Map<string, SelectedResult[]>();
    for (const row of rows) {
      const same = results.get(row.item_id);
      if (same) same.push(row);
      else results.set(row.item_id, [row]);
    }
    yield { items: bundle, results };
  }
}

/** The projects whose results an export contains: those selected, or all that annotate its datasets. */
export async function selectProjects(
  ctx: Ctx,
  selection: ExportSelection,
  datasets: readonly SelectedDataset[],
): Promise<SelectedProject[]> {
  const projects = await query(
    ctx,
    selectedProjectRow,
    Prisma.sql`select p.uid, p.name, p.labels from projects p where p.organization_id = ${ctx.organizationId} and
      ${
        selection.projects.length > 0
          ? Prisma.sql`p.uid = any(${selection.projects})`
          : Prisma.sql`exists (select 1 from annotated_datasets pd where pd.project_id = p.uid and pd.dataset_id = any(${datasets.map(({ uid }) => uid)}))`
      } order by p.uid`,
  );
  return projects.map((project) => ({ ...project, labels: completeLabels(project.labels) }));
}

/** The classes of an export: the labels of its projects by their numbers, then further labels in results. */
export async function listClasses(
  ctx: Ctx,
  selection: ExportSelection,
  datasets: readonly SelectedDataset[],
): Promise<Classes> {
  const projects = await selectProjects(ctx, selection, datasets);
  const uids = projects.map(({ uid }) => uid);
  const named = await query(
    ctx,
    { name: text },
    Prisma.sql`select distinct unnest(r.labels) as name from results r
      where r.project_id = any(${uids}) and ${isExportedResult({ projects: [], results: selection.results })} order by 1`,
  );
  return numberClasses(
    projects.map(({ labels }) => labels),
    named.map(({ name }) => name),
  );
}
