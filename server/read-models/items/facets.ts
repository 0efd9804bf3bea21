import { isField, parseFilter } from "@/domain/items/filter";
import type { ItemFacetsQuery } from "@/domain/items/grid-schema";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { getDatasetByUid } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { bool, float8, int4, notNull, nullable, text, type Native } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";

/** Only the newest items that match are split, so that the cost does not grow with a dataset. */
const maxItems = 20_000;
interface Limits {
  /** How long counting may take altogether, in milliseconds. */
  all: number;
  /** Of that, the nested keys, without which the others are shown. */
  nested: number;
}
const facetMs: Limits = { all: 2_000, nested: 1_000 };
const maxValues = 50;
/** Keys of metadata, those that most items have; some more are read, whose names a filter may not be able to write. */
const maxKeys = 24;
const maxReadKeys = 100;
/** Nested keys beside them, the newest items that name those, and how deep one may lie, as in the filter language. */
const maxNested = 10;
/** One in so many of these items has it, so that names such as uids make no keys. */
const minNestedShare = 20;
const maxSampled = 1_000;
const maxDepth = 8;
/** More numbers than these are split into ranges, about so many. */
const maxNumbers = 8;
const bins = 20;
/** Ranges end below this and are not narrower than that, as the filter language writes numbers with at most 15 digits. */
const numberLimits = { end: 1e15, spread: 1e-9 } as const;

interface FacetValue {
  value: string;
  /** What people call it, where the value is a uid. */
  name: string | null;
  count: number;
  /** A text that a filter would read as a number. */
  quoted: boolean;
}

/** What the items of a filter are split by: a field of the filter language, or the day of their creation. */
interface ItemFacet {
  field: string;
  /** None where it is split into ranges. */
  values: FacetValue[];
  range: FacetRange | null;
}

/** The numbers of a key, split into ranges of the same width, of which empty ones are left out. */
interface FacetRange {
  min: number;
  max: number;
  step: number;
  /** Whether all of them are whole. */
  whole: boolean;
  bins: { from: number; count: number }[];
}

export type ItemFacets =
  | { timed_out: true }
  | {
      timed_out: false;
      exact: boolean;
      /** False where nested keys took too long and were left out. */
      has_nested: boolean;
      facets: ItemFacet[];
    };

const facetRow = {
  field: text,
  value: text,
  name: nullable(text),
  count: int4,
  quoted: bool,
  min: nullable(float8),
  max: nullable(float8),
  step: nullable(float8),
  whole: nullable(bool),
};
type FacetRow = Native<typeof facetRow>;

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

/** SQL conditions for a member whose name the path of a filter can hold, and for one that is a single value. */
const isNamed = Prisma.sql`strpos(e.key, '.') = 0`;
const isValue = (value: Prisma.Sql) => Prisma.sql`jsonb_typeof(${value}) in ('string', 'number', 'boolean')`;

/** SQL for the newest items that match. */
const newestItems = ({ dataset, filter }: ItemFacetsQuery, limit: number) =>
  Prisma.sql`select i.uid, i.status, i.created_at, i.metadata from items i
    where i.dataset_id = ${dataset} and ${filterSql(parseFilter(filter))} order by i.uid desc limit ${limit}`;

/** SQL for the values of the fields that every dataset is split by, and of the metadata. */
function ownParts(ctx: Ctx): Prisma.Sql {
  const ofSource = (key: string) => Prisma.sql`select ${`metadata.source.${key}`}::text as field,
      m.metadata #>> ${["source", key]}::text[] as value, 'string' as kind from matching m`;
  return Prisma.sql`
    select 'status' as field, m.status as value, 'string' as kind from matching m
    union all
    select 'label', l.name, 'string' from matching m
      cross join lateral (select distinct unnest(r.labels) as name from results r
        where r.item_id = m.uid and r.status <> 'rejected' and r.organization_id = ${ctx.organizationId}
          and ${isVisible(ctx, "project", Prisma.sql`r.project_id`)}) l
    union all
    select 'created_at', to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD'), 'string' from matching m
    union all ${ofSource("device_name")} union all ${ofSource("recording_id")}
    union all ${ofSource("rule_id")} union all ${ofSource("topic")}
    union all
    select 'metadata.' || e.key, e.value #>> '{}', jsonb_typeof(e.value)
      from matching m cross join lateral jsonb_each(m.metadata) e where ${isValue(Prisma.sql`e.value`)} and ${isNamed}`;
}

/** SQL for the values of nested members of the metadata. */
const nestedParts = (fields: readonly string[]) => Prisma.sql`
  select n.field, v.value #>> '{}' as value, jsonb_typeof(v.value) as kind from matching m
    cross join (select f.field, (string_to_array(f.field, '.'))[2:] as path from unnest(${[...fields]}::text[]) f(field) offset 0) n
    cross join lateral (select m.metadata #> n.path as value offset 0) v
    where ${isValue(Prisma.sql`v.value`)}`;

/**
 * The nested members of the metadata, those that split the most items, as far as they can be a facet. The newest items
 * name them, so that objects are not opened in all that are counted. Those of `source` are fields of their own.
 */
async function listNested(tx: Ctx, input: ItemFacetsQuery): Promise<string[]> {
  const rows = await query(
    tx,
    { field: notNull(text) },
    Prisma.sql`with recursive sampled as (${newestItems(input, maxSampled)}),
      objects (path, value) as (
        select array['metadata', e.key], e.value from sampled m cross join lateral jsonb_each(m.metadata) e
          where jsonb_typeof(e.value) = 'object' and e.key <> 'source' and ${isNamed}
        union all
        select o.path || e.key, e.value from objects o cross join lateral jsonb_each(o.value) e
          where jsonb_typeof(e.value) = 'object' and cardinality(o.path) < ${maxDepth} and ${isNamed})
      select array_to_string(o.path || e.key, '.') as field from objects o cross join lateral jsonb_each(o.value) e
      where ${isValue(Prisma.sql`e.value`)} and ${isNamed} group by 1
      having count(*) * ${minNestedShare} >= (select count(*) from sampled)
        and (count(distinct e.value) <= ${maxValues} or bool_and(jsonb_typeof(e.value) = 'number'))
      order by count(distinct e.value) > 1 desc, count(*) desc, 1 limit ${maxReadKeys}`,
  );
  return rows.flatMap(({ field }) => (isField(field) ? field : [])).slice(0, maxNested);
}

/** How the items split by the values that `parts` selects of `matching m`: most common first, numbers in their order. */
const splitItems = (tx: Ctx, input: ItemFacetsQuery, parts: Prisma.Sql): Promise<FacetRow[]> =>
  query(
    tx,
    facetRow,
    Prisma.sql`with matching as materialized (${newestItems(input, maxItems)}),
      parts as (${parts}),
      grouped as (
        select field, value, count(*)::int as count, bool_or(kind = 'string') as text, bool_and(kind = 'number') as number
        from parts where value <> '' and length(value) <= 200 group by field, value),
      counted as (select *, case when number then value::numeric end as n from grouped),
      fields as (
        select field, count(*) as kinds, sum(count) as total, bool_and(number) as numeric, min(n) as lowest, max(n) as highest,
          bool_and(n = trunc(n)) as whole
        from counted group by field order by field = any(${ownFields}) desc, sum(count) desc, field
        limit ${maxReadKeys + ownFields.length}),
      ranges as (
        select f.field, f.total, f.lowest, f.highest, f.whole,
          greatest(case when f.whole then 1 end, p.power * case when w.width <= p.power then 1
            when w.width <= 2 * p.power then 2 when w.width <= 5 * p.power then 5 else 10 end) as step
        from fields f
          cross join lateral (select case when f.numeric then (f.highest - f.lowest) / ${bins}::numeric else 1 end as width) w
          cross join lateral (select round(power(10::numeric, floor(log(greatest(w.width, 1e-10)))), 12) as power) p
        where f.numeric and f.kinds > ${maxNumbers} and greatest(f.highest, -f.lowest) < ${numberLimits.end}::numeric
          and f.highest - f.lowest >= ${numberLimits.spread}::numeric),
      shown as (
        select c.field, f.total, c.value, c.count, c.text and c.value ~ '^-?[0-9]+([.][0-9]+)?$' as quoted,
          row_number() over (partition by c.field order by case when f.numeric then c.n end, c.count desc, c.value) as place
        from counted c join fields f on f.field = c.field
        where (f.kinds <= ${maxValues} or f.field = any(${ownFields})) and f.field not in (select field from ranges))
      select field, value, name, count, quoted, min, max, step, whole from (
        select s.field, s.value, coalesce(r.name, u.name) as name, s.count, s.quoted,
          null::float8 as min, null::float8 as max, null::float8 as step, null::bool as whole, s.total, s.place
        from shown s
        left join recordings r on s.field = 'metadata.source.recording_id' and r.uid = s.value
          and r.organization_id = ${tx.organizationId}
        left join rules u on s.field = 'metadata.source.rule_id' and u.uid = s.value
          and u.organization_id = ${tx.organizationId}
        where s.place <= ${maxValues}
        union all
        select b.field, trim_scale(b.bin * b.step)::text, null, sum(b.count)::int, false,
          b.lowest::float8, b.highest::float8, b.step::float8, b.whole, b.total, row_number() over (partition by b.field order by b.bin)
        from (select a.*, c.count, floor(c.n / a.step) as bin from ranges a join counted c on c.field = a.field) b
        group by b.field, b.bin, b.step, b.lowest, b.highest, b.whole, b.total) split
      order by total desc, field, place`,
  );

/**
 * How the items of a filter split by state, label, origin, day and their own metadata, also nested: values, most common
 * first, and numbers in their order, as ranges where they are many. Of a key with more than 50 values that are no numbers
 * nothing is said. Throws `not_found`.
 */
export async function listFacets(ctx: Ctx, input: ItemFacetsQuery, limits: Limits = facetMs): Promise<ItemFacets> {
  await getDatasetByUid(ctx, input.dataset);
  const started = performance.now();
  const own = await withinMs(ctx, limits.all, async (tx, limit) => {
    await limit();
    const rows = await splitItems(tx, input, ownParts(tx));
    await limit();
    const [size] = await query(
      tx,
      { exact: bool },
      Prisma.sql`select d.item_count <= ${maxItems} as exact from datasets d where d.uid = ${input.dataset}`,
    );
    return { rows, exact: size?.exact ?? false };
  });
  if (!own) return { timed_out: true };
  const left = limits.all - (performance.now() - started);
  const nested = await withinMs(ctx, Math.min(limits.nested, left), async (tx, limit) => {
    await limit();
    const fields = await listNested(tx, input);
    await limit();
    return fields.length === 0 ? [] : splitItems(tx, input, nestedParts(fields));
  });
  return {
    timed_out: false,
    exact: own.exact,
    has_nested: nested !== null,
    facets: toFacets([...own.rows, ...(nested ?? [])]),
  };
}

function addRow(facet: ItemFacet, { field: _, min, max, step, whole, ...value }: FacetRow): void {
  if (min === null || max === null || step === null || whole === null) {
    facet.values.push(value);
    return;
  }
  facet.range ??= { min, max, step, whole, bins: [] };
  facet.range.bins.push({ from: Number(value.value), count: value.count });
}

/** The fields of every dataset, then the keys that most items have, by name; nested ones come after the others in `rows`. */
function toFacets(rows: readonly FacetRow[]): ItemFacet[] {
  const byField = new Map<string, ItemFacet>();
  for (const row of rows) {
    const facet = byField.get(row.field) ?? { field: row.field, values: [], range: null };
    byField.set(row.field, facet);
    addRow(facet, row);
  }
  const own = ownFields.flatMap((field) => byField.get(field) ?? []);
  const more = [...byField.values()].filter(({ field }) => !ownFields.includes(field) && isField(field));
  const isNested = ({ field }: ItemFacet) => field.split(".").length > 2;
  const keys = [...more.filter((facet) => !isNested(facet)).slice(0, maxKeys), ...more.filter(isNested)];
  return [...own, ...keys.sort((a, b) => (a.field < b.field ? -1 : 1))];
}
