import { z } from "zod";
import { itemStatuses } from "@/domain/datasets/item-status";
import { parseFilter } from "@/domain/items/filter";
import {
  anchorEvery,
  type ItemFreshQuery,
  type ItemPlaceQuery,
  type ItemSurveyQuery,
  type ItemWindowQuery,
} from "@/domain/items/grid-schema";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { getDatasetByUid } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { bool, int4, jsonb, notNull, nullable, oneOf, text, type Wire } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";
import { toItemOrder } from "@/server/read-models/items/item-order";

/** How long finding the anchors may take, in milliseconds. */
const surveyMs = 10_000;

/** How long the scrollbar of a grid is, and where each of its pages begins. */
export type ItemSurvey =
  | { timed_out: true }
  | {
      timed_out: false;
      count: number;
      every: number;
      /** The first item of each page, in the words of `items.window`. */
      anchors: string[];
      /** The newest item of the dataset: those that are added later are not in these pages. Null without items. */
      newest: string | null;
    };

/** How many items are shown before the survey is there: those of a large screen. */
const firstItems = 60;

const matching = (dataset: string, filter: string, newest: string | null): Prisma.Sql =>
  Prisma.sql`i.dataset_id = ${dataset} ${newest === null ? Prisma.empty : Prisma.sql`and i.uid <= ${newest}`}
    and ${filterSql(parseFilter(filter))}`;

/** Counts what a filter holds of a dataset and finds every 200th item of it in an order. Throws `not_found`. */
export async function surveyItems(
  ctx: Ctx,
  { dataset, filter, ordering }: ItemSurveyQuery,
  ms = surveyMs,
): Promise<ItemSurvey> {
  await getDatasetByUid(ctx, dataset);
  const order = toItemOrder(ordering);
  const found = await withinMs(ctx, ms, async (tx, limit) => {
    await limit();
    const [last] = await query(
      tx,
      { newest: text },
      Prisma.sql`select i.uid as newest from items i where i.dataset_id = ${dataset} order by i.uid desc limit 1`,
    );
    if (!last) return { rows: [], newest: null };
    await limit();
    const rows = await query(
      tx,
      { anchor: notNull(text), count: int4 },
      Prisma.sql`with ranked as materialized (
          select ${order.columns}, row_number() over (order by ${order.orderBy}) as rank
          from items i where ${matching(dataset, filter, last.newest)})
        select ${order.anchor} as anchor, (select count(*)::int from ranked) as count
        from ranked i where (i.rank - 1) % ${anchorEvery} = 0 order by i.rank`,
    );
    return { rows, newest: last.newest };
  });
  if (!found) return { timed_out: true };
  return {
    timed_out: false,
    count: found.rows[0]?.count ?? 0,
    every: anchorEvery,
    anchors: found.rows.map(({ anchor }) => anchor),
    newest: found.newest,
  };
}

/** How many items of a survey are before one of them. Throws `not_found` for the dataset. */
export async function placeItem(
  ctx: Ctx,
  { dataset, filter, ordering, newest, at }: ItemPlaceQuery,
): Promise<{ place: number }> {
  await getDatasetByUid(ctx, dataset);
  const [found] = await sql(
    { place: int4 },
    Prisma.sql`select count(*)::int as place from items i
      where ${matching(dataset, filter, newest)} and ${toItemOrder(ordering).before(at)}`,
  );
  return { place: found?.place ?? 0 };
}

/** How many items that match were added to a dataset since a survey of it. Throws `not_found`. */
export async function countFresh(ctx: Ctx, { dataset, filter, newest }: ItemFreshQuery): Promise<{ count: number }> {
  await getDatasetByUid(ctx, dataset);
  const [found] = await sql(
    { count: int4 },
    Prisma.sql`select count(*)::int as count from items i where i.dataset_id = ${dataset}
      and ${filterSql(parseFilter(filter))} ${newest === null ? Prisma.empty : Prisma.sql`and i.uid > ${newest}`}`,
  );
  return { count: found?.count ?? 0 };
}

const numbers = z.record(z.string(), z.unknown());

const windowRow = {
  uid: text,
  key: text,
  status: oneOf(itemStatuses),
  media_type: text,
  size: jsonb(numbers),
  annotations_count: int4,
  tint: nullable(text),
  has_thumbnail: bool,
  label: nullable(jsonb(z.object({ name: z.string().nullable(), color: z.string().nullable() }))),
};

/** An item as a cell of the grid shows it. */
export interface ItemCell extends Omit<Wire<typeof windowRow>, "size" | "label"> {
  /** The first label of its newest result that is not rejected, in the colour that its project gives it. */
  label: string | null;
  label_color: string | null;
  /** In pixels; null of what has no size. */
  width: number | null;
  height: number | null;
  /** Seconds of a video or recording, points of a cloud. */
  extent: number | null;
}

const toNumber = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** The items that an order begins with, which a page shows while their survey is on its way. Throws `not_found`. */
export const listFirst = (ctx: Ctx, query: ItemSurveyQuery): Promise<{ rows: ItemCell[] }> =>
  listCells(ctx, { ...query, newest: null, from: null, until: null, limit: firstItems });

/** The items of a page of the grid, at most 500. Throws `not_found`, and `invalid("from")` for what is no anchor. */
export const listWindow = (ctx: Ctx, input: ItemWindowQuery): Promise<{ rows: ItemCell[] }> => listCells(ctx, input);

async function listCells(
  ctx: Ctx,
  input: Omit<ItemWindowQuery, "newest"> & { newest: string | null },
): Promise<{ rows: ItemCell[] }> {
  const { dataset, filter, ordering, newest, from, until, limit } = input;
  await getDatasetByUid(ctx, dataset);
  const order = toItemOrder(ordering);
  const rows = await sql(
    windowRow,
    Prisma.sql`select i.uid, i.key, i.status, i.media_type, i.annotation_count as annotations_count, i.tint,
        i.thumbnail_key is not null as has_thumbnail,
        jsonb_build_object('width', i.metadata -> 'width', 'height', i.metadata -> 'height',
          'seconds', i.metadata -> 'duration_seconds', 'points', i.metadata -> 'point_count') as size,
        (select jsonb_build_object('name', r.labels[1], 'color', (select l ->> 'color'
            from jsonb_array_elements(p.labels) l where l ->> 'name' = r.labels[1] limit 1))
          from results r join projects p on p.uid = r.project_id where r.item_id = i.uid and r.status <> 'rejected'
          and r.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`r.project_id`)}
          order by r.uid desc limit 1) as label
      from items i where ${matching(dataset, filter, newest)}
        ${from === null ? Prisma.empty : Prisma.sql`and ${order.from(from)}`}
        ${until === null ? Prisma.empty : Prisma.sql`and ${order.until(until)}`}
      order by ${order.orderBy} limit ${limit}`,
  );
  return {
    rows: rows.map(({ size, label, ...row }) => ({
      ...row,
      label: label?.name ?? null,
      label_color: label?.color ?? null,
      width: toNumber(size.width),
      height: toNumber(size.height),
      extent: toNumber(size.seconds) ?? toNumber(size.points),
    })),
  };
}
