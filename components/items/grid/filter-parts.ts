import { filterConditions, isNumber, parseFilter, type Filter, type FilterField } from "@/domain/items/filter";
import { FilterError, filterValue } from "@/domain/items/filter-tokens";

interface FacetValue {
  value: string;
  /** A text that a filter would read as a number. */
  quoted: boolean;
}

function readConditions(source: string): Filter[] | null {
  try {
    return filterConditions(parseFilter(source));
  } catch (error) {
    if (error instanceof FilterError) return null;
    throw error;
  }
}

/** A condition as it stands in the filter; an alternative gets the parentheses that it needs beside others. */
function writtenAs(source: string, condition: Filter): string {
  const text = source.slice(condition.from, condition.to);
  const isBare = condition.type === "or" && condition.from === condition.parts[0]?.from;
  return isBare ? `(${text})` : text;
}

const join = (parts: readonly string[]): string => parts.join(" AND ");

/** The condition of a filter that names values of a field: `field = a` or `field IN (a, b)`. */
const namesValues = (field: string) => (condition: Filter) =>
  condition.type === "is" && condition.field === field && (condition.operator === "=" || condition.operator === "IN");

/** The values of a field that a filter names, among conditions that all have to hold. */
export function chosenValues(source: string, field: string): string[] {
  const found = readConditions(source)?.find(namesValues(field));
  return found?.type === "is" ? found.values.map(({ text }) => text) : [];
}

/** The filter with a value of a field named, or not any more where it was; a filter that cannot be read is replaced. */
export function toggleValue(source: string, field: string, { value, quoted }: FacetValue): string {
  const conditions = readConditions(source) ?? [];
  const found = conditions.find(namesValues(field));
  const named = found?.type === "is" ? found.values : [];
  const left = named.some(({ text }) => text === value)
    ? named.filter(({ text }) => text !== value)
    : [...named, { text: value, quoted }];
  const written = left.map((each) => filterValue(each.text, each.quoted));
  const [only] = written;
  const condition =
    only === undefined ? [] : [`${field} ${written.length === 1 ? `= ${only}` : `IN (${written.join(", ")})`}`];
  return join([...conditions.filter((each) => each !== found).map((each) => writtenAs(source, each)), ...condition]);
}

/** The fields of which a filter names values, and the filter without those. */
export function withoutValues(source: string): Map<string, string> {
  const conditions = readConditions(source) ?? [];
  const fields = conditions.flatMap((each) => (each.type === "is" && namesValues(each.field)(each) ? each.field : []));
  return new Map(
    fields.map((field) => [
      field,
      join(conditions.filter((each) => !namesValues(field)(each)).map((each) => writtenAs(source, each))),
    ]),
  );
}

const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);

/** The two conditions of a day: from its midnight on, up to but not including the next. */
const ofDay = (day: string): [string, string] => [`created_at >= ${day}`, `created_at < ${dayAfter(day)}`];

const isOfTime = (condition: Filter): boolean => condition.type === "is" && condition.field === "created_at";

/** The day that a filter is limited to; null for none. */
export function chosenDay(source: string): string | null {
  const conditions = readConditions(source)?.filter(isOfTime) ?? [];
  const [first] = conditions;
  const day = first?.type === "is" ? (first.values[0]?.text ?? "") : "";
  if (conditions.length !== 2 || !/^\d{4}-\d\d-\d\d$/.test(day)) return null;
  const written = conditions.map(({ from, to }) => source.slice(from, to));
  return join(written) === join(ofDay(day)) ? day : null;
}

/** The filter limited to a day, or to none where it was limited to this one. */
export function toggleDay(source: string, day: string): string {
  const others = (readConditions(source) ?? [])
    .filter((each) => !isOfTime(each))
    .map((each) => writtenAs(source, each));
  return join(chosenDay(source) === day ? others : [...others, ...ofDay(day)]);
}

/** From and to, both included; null where it is open. */
export interface NumberRange {
  from: number | null;
  to: number | null;
}

export const openRange: NumberRange = { from: null, to: null };

/** A number as people type it and filters hold it; null for anything else. */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim().replace("−", "-");
  return isNumber({ text: trimmed, quoted: false }) ? Number(trimmed) : null;
}

/** A number as filters hold it: never with an exponent, and with at most 15 decimals. */
export function numberText(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toFixed(15).replace(/\.?0+$/, "") : text;
}

const rangeEnds = { ">=": "from", "<=": "to" } as const;

/** Which end of a range a condition sets; null where it does something else. */
function toRangeEnd(condition: Filter, field: string): { end: "from" | "to"; value: number } | null {
  if (condition.type !== "is" || condition.field !== field) return null;
  const [value] = condition.values;
  if (!value || !isNumber(value) || (condition.operator !== ">=" && condition.operator !== "<=")) return null;
  return { end: rangeEnds[condition.operator], value: Number(value.text) };
}

/** The range of a field that a filter is limited to, by conditions that all have to hold: `field >= a AND field <= b`. */
export function chosenRange(source: string, field: string): NumberRange {
  const range = { ...openRange };
  for (const condition of readConditions(source) ?? []) {
    const found = toRangeEnd(condition, field);
    if (found) range[found.end] ??= found.value;
  }
  return range;
}

/** The fields that a filter limits to a range of numbers. */
export const rangedFields = (source: string): FilterField[] => [
  ...new Set(
    (readConditions(source) ?? []).flatMap((condition) =>
      condition.type === "is" && condition.field.startsWith("metadata.") && toRangeEnd(condition, condition.field)
        ? condition.field
        : [],
    ),
  ),
];

/** The filter limited to a range of a field in place of the one that it was limited to. */
export function setRange(source: string, field: string, { from, to }: NumberRange): string {
  const others = (readConditions(source) ?? []).filter((each) => toRangeEnd(each, field) === null);
  return join([
    ...others.map((each) => writtenAs(source, each)),
    ...(from === null ? [] : [`${field} >= ${numberText(from)}`]),
    ...(to === null ? [] : [`${field} <= ${numberText(to)}`]),
  ]);
}

/** A filter that holds what both hold. */
export function bothFilters(first: string, second: string): string {
  const filled = [first, second].map((each) => each.trim()).filter((each) => each !== "");
  return filled.length === 2 ? filled.map((each) => `(${each})`).join(" AND ") : (filled[0] ?? "");
}

/** The filter without some of the items that match it. */
export const withoutItems = (source: string, uids: ReadonlySet<string>): string =>
  uids.size === 0 ? source : bothFilters(source, `uid NOT IN (${[...uids].join(", ")})`);

/** A filter of some items by the names of their files. */
export const filterOfValues = (field: FilterField, values: readonly string[]): string =>
  values.length === 1
    ? `${field} = ${filterValue(values[0] ?? "", true)}`
    : `${field} IN (${values.map((value) => filterValue(value, true)).join(", ")})`;
