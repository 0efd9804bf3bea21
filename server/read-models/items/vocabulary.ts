import { isField, type FilterField } from "@/domain/items/filter";
import type { ItemVocabularyQuery } from "@/domain/items/survey-schema";
import { mediaSql } from "@/server/features/datasets/filter-queries";
import { namedDatasets } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { arrayOf, bool, int4, notNull, text, type Native } from "@/server/platform/rows";
import { withinMs } from "@/server/read-models/items/count";

/** Only the newest items of each dataset are read, so that the cost does not grow with them. */
const itemsOfFields = 2_000;
const itemsOfValues = 20_000;
const maxFields = 200;
const maxValues = 30;
const vocabularyMs = 1_000;

const fieldRow = { path: text, kinds: notNull(arrayOf(text)), count: int4 };
const valueRow = { value: text, count: int4, quoted: bool };

export interface ItemVocabulary {
  /** The members of metadata, by how many items have them. */
  fields: Native<typeof fieldRow>[];
  /** `quoted` are texts that a filter would read as numbers. */
  values: Native<typeof valueRow>[];
  /** False where the counts are those of the newest items only. */
  exact: boolean;
}

const newest = (datasets: readonly string[], columns: Prisma.Sql, limit: number): Prisma.Sql =>
  Prisma.sql`unnest(${[...datasets]}::text[]) as d(uid) cross join lateral (
    select ${columns} from items i where i.dataset_id = d.uid order by i.uid desc limit ${limit}) i`;

/** The members of the items' metadata, also nested ones, as fields of a filter. */
async function listFields(tx: Ctx, datasets: readonly string[]): Promise<Native<typeof fieldRow>[]> {
  const rows = await query(
    tx,
    fieldRow,
    Prisma.sql`with recursive tree (path, value) as (
        select 'metadata.' || m.key, m.value from ${newest(datasets, Prisma.sql`i.metadata`, itemsOfFields)}
          cross join lateral jsonb_each(i.metadata) m
        union all
        select t.path || '.' || m.key, m.value from tree t
          cross join lateral jsonb_each(case when jsonb_typeof(t.value) = 'object' then t.value else '{}'::jsonb end) m
      )
      select path, array_agg(distinct jsonb_typeof(value)) as kinds, count(*)::int as count from tree
      where jsonb_typeof(value) not in ('object', 'array', 'null') group by path order by count(*) desc, path limit ${maxFields}`,
  );
  return rows.filter(({ path }) => isField(path));
}

const ofSource = Prisma.sql`i.uid, i.recording_id, i.metadata`;

/** A statement of the values of a field and the items that have each, before they are grouped. */
function selectValues(tx: Ctx, field: FilterField, datasets: readonly string[]): Prisma.Sql {
  const items = (columns: Prisma.Sql) => newest(datasets, columns, itemsOfValues);
  switch (field) {
    case "status":
      return Prisma.sql`select i.status as value, false as quoted, i.uid from ${items(Prisma.sql`i.uid, i.status`)}`;
    case "annotations_count":
      return Prisma.sql`select i.annotation_count::text as value, false as quoted, i.uid from ${items(Prisma.sql`i.uid, i.annotation_count`)}`;
    case "key":
      // Names differ, so that what files have in common is offered: their folders and their endings.
      return Prisma.sql`select p.value, false as quoted, i.uid from ${items(Prisma.sql`i.uid, i.key`)} cross join lateral (values
        (substring(i.key from '^.*/') || '*'), ('*' || substring(i.key from '\\.[A-Za-z0-9]{1,8}$'))) p(value)
        where p.value is not null`;
    case "created_at":
      return Prisma.sql`select to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD') as value, false as quoted, i.uid
        from ${items(Prisma.sql`i.uid, i.created_at`)}`;
    case "label":
      return Prisma.sql`select l.name as value, false as quoted, i.uid from ${items(Prisma.sql`i.uid`)}
        join results r on r.item_id = i.uid and r.status <> 'rejected'
          and ${isVisible(tx, "project", Prisma.sql`r.project_id`)} cross join lateral unnest(r.labels) l(name)`;
    case "project":
      return Prisma.sql`select p.name as value, false as quoted, i.uid from ${items(Prisma.sql`i.uid`)}
        join tasks t on t.item_id = i.uid join projects p on p.uid = t.project_id and ${isVisible(tx, "project", Prisma.sql`p.uid`)}`;
    case "media":
      return Prisma.sql`select ${mediaSql} as value, false as quoted, i.uid from ${items(Prisma.sql`i.uid, i.media_type`)}`;
    case "sequence":
      return Prisma.sql`select s.key as value, false as quoted, i.uid from ${items(Prisma.sql`i.uid, i.sequence_id`)}
        join sequences s on s.uid = i.sequence_id`;
    case "device":
      return Prisma.sql`select coalesce(q.device_name, i.metadata #>> '{source,device_name}') as value, false as quoted, i.uid
        from ${items(ofSource)} left join recordings q on q.uid = coalesce(i.recording_id, i.metadata #>> '{source,recording_id}')
          and q.organization_id = ${tx.organizationId}`;
    case "recording":
      return Prisma.sql`select q.name as value, false as quoted, i.uid from ${items(ofSource)}
        join recordings q on q.uid = coalesce(i.recording_id, i.metadata #>> '{source,recording_id}') and q.organization_id = ${tx.organizationId}`;
    case "rule":
      return Prisma.sql`select u.name as value, false as quoted, i.uid from ${items(ofSource)}
        join rules u on u.uid = i.metadata #>> '{source,rule_id}' and u.organization_id = ${tx.organizationId}`;
    case "result":
      return Prisma.sql`select r.status as value, false as quoted, i.uid from ${items(Prisma.sql`i.uid`)}
        join results r on r.item_id = i.uid and ${isVisible(tx, "project", Prisma.sql`r.project_id`)}`;
    case "prediction":
      return Prisma.sql`select n.value #>> '{}' as value, false as quoted, i.uid from ${items(Prisma.sql`i.uid, i.dataset_id`)}
        join model_runs m on m.dataset_id = i.dataset_id join model_predictions p on p.run_id = m.uid and p.item_id = i.uid
        cross join lateral jsonb_path_query(p.nodes, 'strict $.**.annotation.object') n(value)`;
    case "score":
    case "uid":
      // Nobody chooses these from a list.
      return Prisma.sql`select '' as value, false as quoted, '' as uid where false`;
    default: {
      const path = field.split(".").slice(1);
      return Prisma.sql`select i.metadata #>> ${path}::text[] as value, i.uid,
          jsonb_typeof(i.metadata #> ${path}::text[]) = 'string' and (i.metadata #>> ${path}::text[]) ~ '^-?[0-9]+([.][0-9]+)?$' as quoted
        from ${items(Prisma.sql`i.uid, i.metadata`)}
        where jsonb_typeof(i.metadata #> ${path}::text[]) not in ('object', 'array', 'null')`;
    }
  }
}

/**
 * What a filter over the datasets can name: their fields, or the most common values of one field. Nothing when that
 * takes longer than a second. Throws `invalid("datasets")`.
 */
export async function itemVocabulary(ctx: Ctx, input: ItemVocabularyQuery): Promise<ItemVocabulary> {
  await transaction(ctx, (tx) => namedDatasets(tx, "datasets", input.datasets));
  const datasets = [...new Set(input.datasets)];
  const { field, prefix = "" } = input;
  const most = field === undefined ? itemsOfFields : itemsOfValues;
  const found = await withinMs(ctx, vocabularyMs, async (tx, limit) => {
    await limit();
    const [size] = await query(
      tx,
      { exact: int4 },
      Prisma.sql`select count(*)::int as exact from datasets d where d.uid = any(${datasets}) and d.item_count > ${most}`,
    );
    const exact = size?.exact === 0;
    if (field === undefined) return { fields: await listFields(tx, datasets), values: [], exact };
    const values = await query(
      tx,
      valueRow,
      Prisma.sql`select v.value, count(distinct v.uid)::int as count, bool_or(v.quoted) as quoted from (${selectValues(tx, field, datasets)}) v
        where v.value <> '' and length(v.value) <= 200 and v.value ilike ${`%${likeText(prefix)}%`}
        group by v.value order by count(distinct v.uid) desc, v.value limit ${maxValues}`,
    );
    return { fields: [], values, exact };
  });
  return found ?? { fields: [], values: [], exact: false };
}
