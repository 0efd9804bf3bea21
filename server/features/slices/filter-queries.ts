import { isNumber, parseTime, type Filter, type Operator, type Value } from "@/domain/slices/filter";
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
    default:
      return metadataTest(field.split(".").slice(1), operator, value);
  }
}

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
