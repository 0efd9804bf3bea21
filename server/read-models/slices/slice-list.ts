import { dataTypes } from "@/domain/datasets/schema";
import type { SliceListFilters } from "@/domain/slices/screen-schema";
import { isExportVisible } from "@/server/features/membership/assignment-queries";
import { visible } from "@/server/features/slices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { bool, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const row = {
  uid: text,
  name: text,
  slug: text,
  description: text,
  filter_query_string: text,
  item_count: int4,
  /** When its items were counted; null until they were for the first time. */
  counted_at: nullable(timestamptz),
  /** What it held a week ago; null when it is younger. */
  week_ago_count: nullable(int4),
  dataset: text,
  dataset_name: text,
  dataset_slug: text,
  dataset_item_count: int4,
  data_type: oneOf(dataTypes),
  owner_name: text,
  created_by_uid: nullable(text),
  /** The person who made it; null when they left, or when nobody did. */
  created_by: nullable(text),
  created_at: timestamptz,
  updated_at: timestamptz,
  demo: bool,
};

/** A slice as its screens show it. */
export interface SliceOverview extends Wire<typeof row> {
  /** How many exports name it. */
  export_count: number;
}

const select = Prisma.sql`select s.uid, s.name, s.slug, s.description, s.filter as filter_query_string, s.item_count, s.counted_at,
    (select c.item_count from slice_counts c where c.slice_id = s.uid and c.day <= (now() at time zone 'UTC')::date - 7
      order by c.day desc limit 1) as week_ago_count,
    s.dataset_id as dataset, d.name as dataset_name, d.slug as dataset_slug, d.item_count as dataset_item_count, d.data_type,
    o.slug as owner_name,
    s.created_by_id as created_by_uid, u.username as created_by, s.created_at, s.updated_at, d.demo
  from slices s join datasets d on d.uid = s.dataset_id join organizations o on o.uid = s.organization_id
    left join users u on u.uid = s.created_by_id`;

/** The slices of the datasets that the caller sees, newest first unless ordered otherwise. */
export async function listSliceOverviews(ctx: Ctx, filters: SliceListFilters): Promise<Page<SliceOverview>> {
  const { limit, cursor, ordering, dataset, search, demo } = filters;
  const page = await keysetPage<Wire<typeof row>>(ctx, {
    name: "slice-overviews",
    filters: { dataset, search, demo },
    page: { limit, cursor },
    ...toOrder<Wire<typeof row>>(ordering ?? "-created_at", "s.uid", {
      name: { column: "s.name", key: ({ name }) => name },
    }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        row,
        Prisma.sql`${select} where ${visible(ctx)} and ${where}
          ${demo === undefined ? Prisma.empty : Prisma.sql`and d.demo = ${demo}`}
          ${dataset ? Prisma.sql`and s.dataset_id = any(${dataset})` : Prisma.empty}
          ${search ? Prisma.sql`and (s.name ilike ${`%${likeText(search)}%`} or s.uid like ${`${likeText(search)}%`})` : Prisma.empty}
          order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: await addExportCounts(ctx, page.results) };
}

/** One scan for a whole page, as no index leads from a slice to its exports. */
async function addExportCounts(ctx: Ctx, slices: readonly Wire<typeof row>[]): Promise<SliceOverview[]> {
  const uids = slices.map(({ uid }) => uid);
  const counts = await sql(
    { uid: text, count: int4 },
    Prisma.sql`select u.uid, count(*)::int as count from exports e cross join lateral unnest(e.slices) u(uid)
      where e.organization_id = ${ctx.organizationId} and e.slices && ${uids}::text[] and u.uid = any(${uids})
        and ${isExportVisible(ctx)} group by u.uid`,
  );
  const exportCounts = new Map(counts.map(({ uid, count }) => [uid, count]));
  return slices.map((slice) => ({ ...slice, export_count: exportCounts.get(slice.uid) ?? 0 }));
}

/** One slice. Throws `not_found`. */
export async function getSliceOverview(ctx: Ctx, uid: string): Promise<SliceOverview> {
  const [found] = await sql(row, Prisma.sql`${select} where ${visible(ctx)} and s.uid = ${uid}`);
  if (!found) throw notFound();
  const [overview] = await addExportCounts(ctx, [found]);
  if (!overview) throw new Error("a slice without an overview");
  return overview;
}
