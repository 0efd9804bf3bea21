import { itemStatuses } from "@/domain/datasets/item-status";
import { parseFilter } from "@/domain/items/filter";
import { toMediaKind, type MediaKind, type NeighboursQuery } from "@/domain/items/viewer-schema";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { getDataset } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { bool, int4, int8, notNull, oneOf, text, type Wire } from "@/server/platform/rows";

/** An item beside another one. */
interface Neighbour {
  uid: string;
  key: string;
  status: (typeof itemStatuses)[number];
  media: MediaKind;
  has_thumbnail: boolean;
  size_bytes: number | string;
}

interface Neighbours {
  /** The item itself, which the filter need not hold. */
  item: Neighbour;
  /** In the order of the grid: the last one is just before the item. */
  before: Neighbour[];
  /** The first one is just after the item. */
  after: Neighbour[];
  /** Whether the filter holds the item itself. */
  is_held: boolean;
}

const neighbourRow = {
  uid: text,
  key: text,
  status: oneOf(itemStatuses),
  media_type: text,
  has_thumbnail: notNull(bool),
  size_bytes: int8,
};

const toNeighbour = ({ media_type: type, ...row }: Wire<typeof neighbourRow>): Neighbour => ({
  ...row,
  media: toMediaKind(type),
});

/** The columns of an order, unique together, and the anchor's values of them. */
function toKey(ordering: NeighboursQuery["ordering"], anchor: { uid: string; key: string; annotation_count: number }) {
  switch (ordering.replace(/^-/, "")) {
    case "key":
      return { columns: Prisma.sql`(i.key)`, values: Prisma.sql`(${anchor.key})`, names: ["i.key"] };
    case "annotations_count":
      return {
        columns: Prisma.sql`(i.annotation_count, i.uid)`,
        values: Prisma.sql`(${anchor.annotation_count}::int, ${anchor.uid})`,
        names: ["i.annotation_count", "i.uid"],
      };
    default:
      return { columns: Prisma.sql`(i.uid)`, values: Prisma.sql`(${anchor.uid})`, names: ["i.uid"] };
  }
}

/**
 * The items before and after one under a filter and an order, which may leave out the item itself. Throws `not_found`.
 */
export async function readNeighbours(ctx: Ctx, input: NeighboursQuery): Promise<Neighbours> {
  const { owner, slug, uid, filter_query_string: source = "", ordering, limit } = input;
  const dataset = await getDataset(ctx, { owner, slug });
  const filter = filterSql(parseFilter(source));
  const ofDataset = Prisma.sql`i.dataset_id = ${dataset.uid} and i.organization_id = ${ctx.organizationId}`;
  const [anchor] = await sql(
    { ...neighbourRow, annotation_count: int4, is_held: notNull(bool) },
    Prisma.sql`select i.uid, i.key, i.status, i.media_type, i.thumbnail_key is not null as has_thumbnail, i.size_bytes,
        i.annotation_count, ${filter} as is_held from items i
      where i.uid = ${uid} and ${ofDataset}`,
  );
  if (!anchor) throw notFound();
  const { columns, values, names } = toKey(ordering, anchor);
  const list = async (forwards: boolean): Promise<Neighbour[]> => {
    const descending = ordering.startsWith("-") === forwards;
    const direction = descending ? "desc" : "asc";
    const rows = await sql(
      neighbourRow,
      Prisma.sql`select i.uid, i.key, i.status, i.media_type, i.thumbnail_key is not null as has_thumbnail,
          i.size_bytes from items i
        where ${ofDataset} and ${columns} ${Prisma.raw(descending ? "<" : ">")} ${values} and ${filter}
        order by ${Prisma.raw(names.map((name) => `${name} ${direction}`).join(", "))} limit ${limit}`,
    );
    return rows.map(toNeighbour);
  };
  const [before, after] = [await list(false), await list(true)];
  const { annotation_count: _, is_held, ...item } = anchor;
  return { item: toNeighbour(item), before: before.reverse(), after, is_held };
}
