import { parseFilter } from "@/domain/items/filter";
import type { Predict } from "@/domain/models/schema";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { namedSlices } from "@/server/features/slices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { conflict, invalid } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";

/** Items of a dataset; none for all of it. */
interface Selected {
  dataset_uid: string;
  /** In the order in which a run goes through them. */
  items: string[];
}

/** The most items that the runs of a request name together; a run over a whole dataset names none. */
const maxNamed = 100_000;

type Target = Predict[number];

/** Throws `invalid` naming, with its place in the body, each item that is not in its dataset or is still being read. */
async function checkNamed(tx: Ctx, { dataset_uid: dataset, dataset_item_uids: named }: Target, at: number) {
  const items = await tx.db.item.findMany({
    where: { organizationId: tx.organizationId, datasetId: dataset, uid: { in: named } },
    select: { uid: true, status: true },
  });
  const found = new Map(items.map(({ uid, status }) => [uid, status]));
  for (const uid of named) {
    const status = found.get(uid);
    if (status === undefined) throw invalid(["dataset_item_uids", at], `"${uid}" is not an item of the dataset.`);
    if (status === "pending") throw invalid(["dataset_item_uids", at], `"${uid}" is still being read.`);
  }
}

/** The items that a filter holds now. Throws `invalid`, and `conflict` where they are other than expected. */
async function findFiltered(tx: Ctx, target: Target, filter: string, field: string, at: number): Promise<string[]> {
  const rows = await query(
    tx,
    { uid: text },
    Prisma.sql`select i.uid from items i where i.dataset_id = ${target.dataset_uid} and i.organization_id = ${tx.organizationId}
      and ${filterSql(parseFilter(filter))} order by i.uid limit ${maxNamed + 1}`,
  );
  const { expected } = target;
  const now = rows.length;
  if (now > maxNamed) throw invalid([field, at], "A run of a filter has at most 100,000 items.");
  if (expected !== undefined && now !== expected)
    throw conflict(`The filter holds ${now} items now, not ${expected}.`, { code: "count", expected, now });
  if (now === 0) throw invalid([field, at], "It holds no items.");
  return rows.map(({ uid }) => uid);
}

async function selectItems(tx: Ctx, target: Target, at: number): Promise<string[]> {
  const { dataset_item_uids: named, slice_uid: slice, filter_query_string: filter } = target;
  if ([named.length > 0, slice !== undefined, filter !== undefined].filter(Boolean).length > 1)
    throw invalid(["dataset_item_uids", at], "Name items, a slice or a filter.");
  if (slice !== undefined) {
    const [found] = await namedSlices(tx, "slice_uid", [slice]);
    if (found?.dataset !== target.dataset_uid) throw invalid(["slice_uid", at], "It is not a slice of the dataset.");
    return findFiltered(tx, target, found.filter_query_string, "slice_uid", at);
  }
  if (filter !== undefined) return findFiltered(tx, target, filter, "filter_query_string", at);
  await checkNamed(tx, target, at);
  return [...new Set(named)].toSorted();
}

/** What runs are about. Throws `invalid` naming, with its place in the body, each dataset that the caller does not see. */
export async function selectTargets(tx: Ctx, targets: Predict): Promise<Selected[]> {
  const uids = targets.map(({ dataset_uid }) => dataset_uid);
  const rows = await query(
    tx,
    { uid: text },
    Prisma.sql`select d.uid from datasets d where d.organization_id = ${tx.organizationId} and d.uid = any(${uids})
      and ${isVisible(tx, "dataset", Prisma.sql`d.uid`)}`,
  );
  const datasets = new Set(rows.map(({ uid }) => uid));
  const selected: Selected[] = [];
  let named = 0;
  for (const [at, target] of targets.entries()) {
    const { dataset_uid } = target;
    if (!datasets.has(dataset_uid))
      throw invalid(["dataset_uid", at], `Invalid pk "${dataset_uid}" - object does not exist.`);
    const items = await selectItems(tx, target, at);
    named += items.length;
    if (named > maxNamed)
      throw invalid(["dataset_item_uids", at], "The runs of one request have at most 100,000 items together.");
    selected.push({ dataset_uid, items });
  }
  return selected;
}
