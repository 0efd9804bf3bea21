import { cellText, isNumeric, type Column, type Result } from "./query";

/** What the chart of a result shows. */
export interface ChartData {
  /** What lies along the bottom: times (ms), numbers, the rows in their order, or names. */
  axis: { name: string; kind: "time" | "number" | "row" | "name" };
  series: { key: string; name: string }[];
  /** `x` beside the value of each series by its key; null where there is none. */
  points: Record<string, number | string | null>[];
  /** Numeric columns that are not drawn, because there are more than colours. */
  left: string[];
}

/** Series that stay apart by their colours. */
const maxSeries = 8;
/** Bars that fit beside each other. */
const maxBars = 100;
/** Rows that are drawn one by one; of more, the extremes of each stretch are. */
const maxPoints = 2_000;

const timeTypes = /^(TIMESTAMP|DATE$)/;
/** Integers in this range are nanoseconds since 1970: from 1973 on. */
const isNanoseconds = (value: unknown): boolean => /^\d{18,19}$/.test(String(value));

/** A number of a cell; null for what is none, such as NaN. */
function toNumber(value: unknown): number | null {
  if (value === null || value === undefined || value === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A time of a cell in milliseconds: nanoseconds, or DuckDB's own text. */
function toTime(value: unknown): number | null {
  if (isNanoseconds(value)) return Number(BigInt(String(value)) / 1_000n) / 1_000;
  const [, day, clock = "00:00:00", fraction = "", hours = "+00", minutes = "00"] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(\.\d{1,3})?\d*)?(?:([+-]\d\d):?(\d\d)?)?$/.exec(String(value)) ?? [];
  const time = day === undefined ? NaN : Date.parse(`${day}T${clock}${fraction}${hours}:${minutes}`);
  return Number.isNaN(time) ? null : time;
}

function isTime(column: Column, at: number, rows: readonly unknown[][]): boolean {
  if (timeTypes.test(column.type)) return true;
  if (!/^U?BIGINT$/.test(column.type)) return false;
  return rows.some((row) => isNanoseconds(row[at])) && rows.every((row) => row[at] === null || isNanoseconds(row[at]));
}

/** Leaves of many points those that hold an extreme of a series in their stretch, so that no spike is lost. */
function thin(points: ChartData["points"], series: ChartData["series"]): ChartData["points"] {
  if (points.length <= maxPoints) return points;
  const stretch = Math.ceil((points.length * 2 * series.length) / maxPoints);
  const kept = new Set([0, points.length - 1]);
  for (let begin = 0; begin < points.length; begin += stretch) {
    for (const { key } of series) {
      let [low, high] = [-1, -1];
      for (let at = begin; at < Math.min(points.length, begin + stretch); at++) {
        const value = points[at]?.[key];
        if (typeof value !== "number") continue;
        if (low < 0 || value < Number(points[low]?.[key])) low = at;
        if (high < 0 || value > Number(points[high]?.[key])) high = at;
      }
      if (low >= 0) kept.add(low).add(high);
    }
  }
  return points.filter((_, at) => kept.has(at));
}

/**
 * The numeric columns of a result over its first column of times, else over names that each row has its own of, else
 * over the first numeric one; a single numeric column over its rows where there are no names. Over times and numbers, a
 * column of at most eight names makes a series of each. Null where no column is numeric.
 */
export function chartData({ columns, rows }: Pick<Result, "columns" | "rows">): ChartData | null {
  const times = columns.flatMap((column, at) => (isTime(column, at, rows) ? [at] : []));
  const numbers = columns.flatMap((column, at) => (isNumeric(column) && !times.includes(at) ? [at] : []));
  if (numbers.length === 0) return null;
  const names = columns.flatMap(({ type }, at) => (type === "VARCHAR" ? [at] : []));
  const getName = (at: number): string => columns[at]?.name ?? "";

  const [time] = times;
  const [first = 0, ...others] = numbers;
  if (time === undefined) {
    const labels = names.length > 0 && rows.length <= maxBars ? rows.map((row) => toLabel(row, names)) : null;
    if (labels && (others.length === 0 || new Set(labels).size === labels.length)) {
      return overNames({ name: names.map(getName).join(", "), labels }, numbers, { columns, rows });
    }
    if (others.length === 0) return overRows(first, { columns, rows });
  }
  const x = time ?? first;
  const y = time === undefined ? others : numbers;
  const drawn = y.slice(0, maxSeries);
  const read = time === undefined ? toNumber : toTime;

  const groups = drawn.length === 1 ? namesToSplit(names, rows) : null;
  const series = groups
    ? groups.values.map((name, at) => ({ key: `y${at}`, name }))
    : drawn.map((at, place) => ({ key: `y${place}`, name: getName(at) }));
  const points = rows
    .flatMap((row) => {
      const place = read(row[x]);
      if (place === null) return [];
      if (!groups) return [{ x: place, ...Object.fromEntries(drawn.map((at, of) => [`y${of}`, toNumber(row[at])])) }];
      const key = `y${groups.values.indexOf(cellText(row[groups.column]))}`;
      return [{ x: place, [key]: toNumber(row[drawn[0] ?? 0]) }];
    })
    .toSorted((a, b) => a.x - b.x);
  return {
    axis: { name: getName(x), kind: time === undefined ? "number" : "time" },
    series,
    points: thin(points, series),
    left: y.slice(maxSeries).map(getName),
  };
}

/** The column of names that parts the rows into two to eight series; null where none does. */
function namesToSplit(names: readonly number[], rows: Result["rows"]): { column: number; values: string[] } | null {
  for (const column of names) {
    const values = new Set<string>();
    for (const row of rows) if (values.add(cellText(row[column])).size > maxSeries) break;
    if (values.size > 1 && values.size <= maxSeries) return { column, values: [...values].toSorted() };
  }
  return null;
}

/** The names of a row as one label. */
const toLabel = (row: readonly unknown[], names: readonly number[]): string =>
  names.map((at) => cellText(row[at])).join(", ");

function overNames(
  { name, labels }: { name: string; labels: readonly string[] },
  numbers: readonly number[],
  { columns, rows }: Pick<Result, "columns" | "rows">,
): ChartData {
  const getName = (at: number): string => columns[at]?.name ?? "";
  const drawn = numbers.slice(0, maxSeries);
  return {
    axis: { name, kind: "name" },
    series: drawn.map((at, place) => ({ key: `y${place}`, name: getName(at) })),
    points: rows.map((row, index) => ({
      x: labels[index] ?? "",
      ...Object.fromEntries(drawn.map((at, place) => [`y${place}`, toNumber(row[at])])),
    })),
    left: numbers.slice(maxSeries).map(getName),
  };
}

function overRows(at: number, { columns, rows }: Pick<Result, "columns" | "rows">): ChartData {
  const series = [{ key: "y0", name: columns[at]?.name ?? "" }];
  const points = rows.map((row, place) => ({ x: place + 1, y0: toNumber(row[at]) }));
  return { axis: { name: "row", kind: "row" }, series, points: thin(points, series), left: [] };
}
