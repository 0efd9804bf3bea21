import { isNumber, parseTime, type Filter, type Operator, type Value } from "@/domain/items/filter";
import { Prisma } from "@/server/platform/database/generated/client";
import { likeText } from "@/server/platform/like-text";

type Comparison = Extract<Filter, { type: "is" }>;

/** The SQL predicate of a filter on `items i`, which is true or false and never null. */
export function filterSql(filter: Filter | null): Prisma.Sql {
  if (filter === null) return Prisma.sql`true`;
  switch (filter.type) {
    case "and":
    case "or":
      return Prisma.sql`(${Prisma.join(filter.parts.map(filterSql), filter.type === "and" ? " and " : " or ")})`;
    case "not":
      return Prisma.sql`not ${filterSql(filter.part)}`;
    case "is":
      return leaf(filter);
  }
}

/** A missing value equals nothing and differs from everything. */
function leaf(comparison: Comparison): Prisma.Sql {
  const { operator, values } = comparison;
  const is = (wanted: Operator, value: Value) => Prisma.sql`coalesce(${test(comparison.field, wanted, value)}, false)`;
  if (operator === "IN")
    return Prisma.sql`(${Prisma.join(
      values.map((value) => is("=", value)),
      " or ",
    )})`;
  const [value] = values;
  if (!value) return Prisma.sql`false`;
  return operator === "!=" ? Prisma.sql`not ${is("=", value)}` : is(operator, value);
}

const raw = (operator: Operator): Prisma.Sql => Prisma.raw(operator);

function test(field: Comparison["field"], operator: Operator, value: Value): Prisma.Sql {
  switch (field) {
    case "status":
      return textTest(Prisma.sql`i.status`, operator, value);
    case "key":
      return textTest(Prisma.sql`i.key`, operator, value);
    case "created_at":
      return Prisma.sql`i.created_at ${raw(operator)} ${parseTime(value.text)}::timestamptz`;
    case "annotations_count":
      return Prisma.sql`i.annotation_count ${raw(operator)} ${value.text}::numeric`;
    case "label":
      return labelTest(operator, value);
    case "project":
      return Prisma.sql`exists (select 1 from tasks t join projects p on p.uid = t.project_id
        where t.item_id = i.uid and (p.uid = ${value.text} or ${textTest(Prisma.sql`p.name`, operator, value)}))`;
    case "uid":
      return textTest(Prisma.sql`i.uid`, operator, value);
    case "media":
      return textTest(mediaSql, operator, value);
    case "sequence":
      return Prisma.sql`exists (select 1 from sequences s where s.uid = i.sequence_id and ${named("s.uid", "s.key", operator, value)})`;
    case "device":
      return sourceTest("device", operator, value);
    case "recording":
      return sourceTest("recording", operator, value);
    case "rule":
      return Prisma.sql`exists (select 1 from rules u where u.uid = i.metadata #>> '{source,rule_id}'
        and u.organization_id = i.organization_id and ${named("u.uid", "u.name", operator, value)})`;
    case "result":
      return Prisma.sql`exists (select 1 from results r where r.item_id = i.uid and ${textTest(Prisma.sql`r.status`, operator, value)})`;
    case "prediction":
      return predictionTest(Prisma.sql`jsonb_path_query(p.nodes, 'strict $.**.annotation.object') n(value)
          where ${textTest(Prisma.sql`(n.value #>> '{}')`, operator, value)}`);
    case "score":
      return predictionTest(Prisma.sql`jsonb_path_query(p.nodes, 'strict $.**.annotation.data.attributes') n(value)
          where jsonb_typeof(coalesce(n.value->'confidence', n.value->'score')) = 'number'
            and coalesce(n.value->'confidence', n.value->'score')::numeric ${raw(operator)} ${value.text}::numeric`);
    default:
      return metadataTest(field.split(".").slice(1), operator, value);
  }
}

/** What the file of an item is, by its media type. */
export const mediaSql = Prisma.sql`case split_part(i.media_type, '/', 1) when 'pointcloud' then 'points' else split_part(i.media_type, '/', 1) end`;

/** By uid, or by name. */
const named = (uid: string, name: string, operator: Operator, value: Value): Prisma.Sql =>
  Prisma.sql`(${Prisma.raw(uid)} = ${value.text} or ${textTest(Prisma.raw(name), operator, value)})`;

/** Where an item came from: by its recording, or by what its metadata retains of one that is deleted. */
function sourceTest(what: "device" | "recording", operator: Operator, value: Value): Prisma.Sql {
  const kept = (member: string) => Prisma.sql`(i.metadata #>> array['source', ${member}])`;
  const of =
    what === "device"
      ? named("q.device_id", "q.device_name", operator, value)
      : named("q.uid", "q.name", operator, value);
  const names = what === "device" ? Prisma.sql`or ${textTest(kept("device_name"), operator, value)}` : Prisma.empty;
  return Prisma.sql`(coalesce(${kept(`${what}_id`)} = ${value.text} ${names}, false)
    or exists (select 1 from recordings q where ${of} and q.organization_id = i.organization_id
      and q.uid = coalesce(i.recording_id, ${kept("recording_id")})))`;
}

/** The runs of the dataset lead to the predictions of an item, which have no index of their own. */
const predictionTest = (nodes: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`exists (select 1 from model_runs m join model_predictions p on p.run_id = m.uid and p.item_id = i.uid
    where m.dataset_id = i.dataset_id and exists (select 1 from ${nodes}))`;

/** A full label is an index lookup; a partial one scans the item's own labels. Rejected results do not count. */
function labelTest(operator: Operator, value: Value): Prisma.Sql {
  const has =
    operator === "=" && !value.text.includes("*")
      ? Prisma.sql`r.labels @> array[${value.text}]::text[]`
      : Prisma.sql`exists (select 1 from unnest(r.labels) as l(name) where ${textTest(Prisma.sql`l.name`, operator, value)})`;
  return Prisma.sql`exists (select 1 from results r where r.item_id = i.uid and r.status <> 'rejected' and ${has})`;
}

function metadataTest(path: readonly string[], operator: Operator, value: Value): Prisma.Sql {
  const at = Prisma.sql`i.metadata #> ${[...path]}::text[]`;
  const text = Prisma.sql`(i.metadata #>> ${[...path]}::text[])`;
  if (!isNumber(value) || operator === "~") return textTest(text, operator, value);
  return Prisma.sql`case when jsonb_typeof(${at}) = 'number' then ${text}::numeric ${raw(operator)} ${value.text}::numeric end`;
}

/** Converts a glob in which `*` matches any text. */
const globText = (text: string): string => likeText(text).replaceAll("*", "%");

function textTest(column: Prisma.Sql, operator: Operator, { text }: Value): Prisma.Sql {
  if (operator === "~") return Prisma.sql`${column} ilike ${`%${globText(text)}%`}`;
  if (operator === "=" && text.includes("*")) return Prisma.sql`${column} like ${globText(text)}`;
  return Prisma.sql`${column} ${raw(operator)} ${text}`;
}
