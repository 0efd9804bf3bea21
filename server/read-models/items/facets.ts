import { isField, parseFilter } from "@/domain/items/filter";
import type { ItemFacetsQuery } from "@/domain/items/grid-schema";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { getDatasetByUid } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { bool, int4, nullable, text } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";

/** Only the newest items that match are split, so that the cost does not grow with a dataset. */
const maxItems = 20_000;
const facetMs = 2_000;
const maxValues = 50;
const maxKeys = 12;

/** What the items of a filter are split by: a field of the filter language, or the day of their creation. */
interface ItemFacet {
  field: string;
  values: {
    value: string;
    /** What people call it, where the value is a uid. */
    name: string | null;
    count: number;
    /** A text that a filter would read as a number. */
    quoted: boolean;
  }[];
}

export type ItemFacets = { timed_out: true } | { timed_out: false; exact: boolean; facets: ItemFacet[] };

const valueRow = { field: text, value: text, name: nullable(text), count: int4, quoted: bool };

/** The fields that every dataset is split by, in the order in which they are shown. */
const ownFields = [
  "status",
  "label",
  "metadata.source.device_name",
  "metadata.source.recording_id",
  "metadata.source.rule_id",
  "metadata.source.topic",
  "created_at",
];

/**
 * How the items of a filter split by state, label, origin, day and their own metadata, most common values first. Of a
 * key with more than 50 values nothing is said. Throws `not_found`.
 */
export async function listFacets(ctx: Ctx, { dataset, filter }: ItemFacetsQuery, ms = facetMs): Promise<ItemFacets> {
  await getDatasetByUid(ctx, dataset);
  const ofSource = (key: string) => Prisma.sql`select ${`metadata.source.${key}`}::text as field,
      m.metadata #>> ${["source", key]}::text[] as value, true as text from matching m`;
  const found = await withinMs(ctx, ms, async (tx, limit) => {
    await limit();
    const rows = await query(
      tx,
      valueRow,
      Prisma.sql`with matching as materialized (
          select i.uid, i.status, i.created_at, i.metadata from items i
          where i.dataset_id = ${dataset} and ${filterSql(parseFilter(filter))} order by i.uid desc limit ${maxItems}),
        parts as (
          select 'status' as field, m.status as value, true as text from matching m
          union all
          select 'label', l.name, true from matching m
            cross join lateral (select distinct unnest(r.labels) as name from results r
              where r.item_id = m.uid and r.status <> 'rejected' and r.organization_id = ${ctx.organizationId}
                and ${isVisible(ctx, "project", Prisma.sql`r.project_id`)}) l
          union all
          select 'created_at', to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD'), true from matching m
          union all ${ofSource("device_name")} union all ${ofSource("recording_id")}
          union all ${ofSource("rule_id")} union all ${ofSource("topic")}
          union all
          select 'metadata.' || e.key, e.value #>> '{}', jsonb_typeof(e.value) = 'string'
          from matching m cross join lateral jsonb_each(m.metadata) e
          where jsonb_typeof(e.value) in ('string', 'number', 'boolean')),
        counted as (
          select field, value, count(*)::int as count, bool_or(text) as text, count(*) over (partition by field) as kinds
          from parts where value <> '' and length(value) <= 200 group by field, value)
      select c.field, c.value, coalesce(r.name, u.name) as name, c.count,
          c.text and c.value ~ '^-?[0-9]+([.][0-9]+)?$' as quoted
        from (select *, row_number() over (partition by field order by count desc, value) as place from counted) c
        left join recordings r on c.field = 'metadata.source.recording_id' and r.uid = c.value
          and r.organization_id = ${ctx.organizationId}
        left join rules u on c.field = 'metadata.source.rule_id' and u.uid = c.value
          and u.organization_id = ${ctx.organizationId}
        where c.place <= ${maxValues} and (c.kinds <= ${maxValues} or c.field = any(${ownFields}))
        order by c.field, c.place`,
    );
    await limit();
    const [size] = await query(
      tx,
      { exact: bool },
      Prisma.sql`select d.item_count <= ${maxItems} as exact from datasets d where d.uid = ${dataset}`,
    );
    return { rows, exact: size?.exact ?? false };
  });
  if (!found) return { timed_out: true };
  return { timed_out: false, exact: found.exact, facets: toFacets(found.rows) };
}

function toFacets(rows: readonly (ItemFacet["values"][number] & { field: string })[]): ItemFacet[] {
  const byField = new Map<string, ItemFacet>();
  for (const { field, ...value } of rows) {
    const facet = byField.get(field) ?? { field, values: [] };
    byField.set(field, facet);
    facet.values.push(value);
  }
  const own = ownFields.flatMap((field) => byField.get(field) ?? []);
  const more = [...byField.values()].filter(({ field }) => !ownFields.includes(field) && isField(field));
  return [...own, ...more.slice(0, maxKeys)];
}
