import { itemStatuses } from "@/domain/datasets/item-status";
import type { DatasetPath } from "@/domain/datasets/schema";
import { parseFilter } from "@/domain/items/filter";
import type { ItemFilters } from "@/domain/items/schema";
import { filterSql } from "@/server/features/datasets/filter-queries";
import type { ItemResource } from "@/server/features/datasets/resource";
import { getDataset } from "@/server/features/datasets/service";
import type { Actor, Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { int4, int8, jsonbObject, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";

const linkSeconds = 3_600;

/** The columns of `items i` that an item resource is made of. */
export const itemColumns = Prisma.sql`i.uid, i.key, i.status, i.metadata, i.annotation_count as annotations_count, i.created_at,
  i.sequence_id as sequence, i.view, i.frame, i.size_bytes, i.added_by_id as added_by_uid, i.storage_key, i.thumbnail_key`;
/** What `itemColumns` selects. */
export const itemRow = {
  uid: text,
  key: text,
  status: oneOf(itemStatuses),
  metadata: jsonbObject,
  annotations_count: int4,
  created_at: timestamptz,
  sequence: nullable(text),
  view: text,
  frame: nullable(int4),
  size_bytes: int8,
  added_by_uid: nullable(text),
  storage_key: text,
  thumbnail_key: nullable(text),
};

/** An item as a statement selects it. */
export type ItemRow = Wire<typeof itemRow>;

/** An item with links to its bytes. A link that begins with `/` is relative to this server. */
export async function serializeItem<Row extends ItemRow>(
  row: Row,
  by: Actor,
): Promise<Omit<Row, "storage_key" | "thumbnail_key"> & ItemResource> {
  const { storage_key, thumbnail_key, ...item } = row;
  const store = objectStore();
  // An object in a bucket that is no longer connected has no link.
  const link = async (key: string, fileName: string, who: Actor | null) =>
    (await store.downloadUrl({ key, fileName, by: who, ttlSeconds: linkSeconds })) ?? "";
  const name = displayName(item.key);
  return {
    ...item,
    data_url: await link(storage_key, name, by),
    thumbnail_url: thumbnail_key === null ? "" : await link(thumbnail_key, `${name}.webp`, null),
  };
}

/** The items of a dataset, newest first unless ordered otherwise. Throws `not_found`. */
export async function listItems(ctx: Ctx, path: DatasetPath, filters: ItemFilters): Promise<Page<ItemResource>> {
  const dataset = await getDataset(ctx, path);
  const { limit, cursor, ordering, status, sequence, filter_query_string: filter = "" } = filters;
  const page = await keysetPage<ItemRow>(ctx, {
    name: "items",
    filters: { dataset: dataset.uid, status, sequence, filter },
    page: { limit, cursor },
    ...toOrder<ItemRow>(ordering ?? "-created_at", "i.uid", { key: { column: "i.key", key: (row) => row.key } }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        itemRow,
        Prisma.sql`select ${itemColumns} from items i where i.dataset_id = ${dataset.uid} and ${where} and ${filterSql(parseFilter(filter))}
        ${status ? Prisma.sql`and i.status = any(${status})` : Prisma.empty}
        ${sequence ? Prisma.sql`and i.sequence_id = ${sequence}` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: await Promise.all(page.results.map((row) => serializeItem(row, ctx.actor))) };
}

/** One item. Throws `not_found`. */
export async function getItem(ctx: Ctx, path: DatasetPath, uid: string): Promise<ItemResource> {
  const dataset = await getDataset(ctx, path);
  const [row] = await sql(
    itemRow,
    Prisma.sql`select ${itemColumns} from items i where i.uid = ${uid} and i.dataset_id = ${dataset.uid}`,
  );
  if (!row) throw notFound();
  return serializeItem(row, ctx.actor);
}
