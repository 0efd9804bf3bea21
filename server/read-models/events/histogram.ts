import { eventTypes, type EventType } from "@/domain/events/event-type";
import type { EventHistogramQuery } from "@/domain/events/screen-schema";
import { severities } from "@/domain/severity";
import { nsPerDay, nsPerMs, nsPerSecond } from "@/domain/time/nanoseconds";
import { hasDemoRows } from "@/server/features/devices/demo-queries";
import { conditions } from "@/server/features/events/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { float8, int4, int8, nullable, oneOf, text, type Wire } from "@/server/platform/rows";

/** Up to this number of matches, every event is counted, by the index alone. */
const maxExact = 200_000;
/** Filters without an index by type read rows: at most this number of the newest. */
const maxRows = 20_000;
/** Beyond `maxExact`, about this number of events is sampled. */
const targetSampleSize = 60_000;
const maxBuckets = 72;
const slicesPerBucket = 4;

/** The distribution of events over time, by type. Nanoseconds since 1970 as decimal strings. */
export interface EventHistogram {
  from_ns: string;
  /** Exclusive. */
  to_ns: string;
  step_ns: string;
  /** Only non-empty buckets; `at` is their start. */
  buckets: { at: string; counts: Partial<Record<EventType, number>> }[];
  /** `exact`; `sampled`: estimated from slices of the time; `newest`: only the newest 20,000 matches are counted. */
  counted: "exact" | "sampled" | "newest";
  /** The fraction of the time that was counted; 1 unless sampled. */
  share: number;
}

const steps = [
  ...[1n, 2n, 5n, 10n, 20n, 50n, 100n, 200n, 500n].map((ms) => ms * nsPerMs),
  ...[1n, 2n, 5n, 10n, 15n, 30n, 60n, 120n, 300n, 600n, 900n, 1_800n, 3_600n, 7_200n, 10_800n, 21_600n, 43_200n].map(
    (s) => s * nsPerSecond,
  ),
  ...[1n, 2n, 7n, 14n, 30n, 90n, 365n, 730n].map((days) => days * nsPerDay),
];

interface Grid {
  from: bigint;
  to: bigint;
  step: bigint;
  count: number;
}

/** Buckets of a round width that cover `[first, last]`. */
export function computeGrid(first: bigint, last: bigint): Grid {
  const step = steps.find((each) => last / each - first / each < BigInt(maxBuckets)) ?? (steps.at(-1) as bigint);
  const from = (first / step) * step;
  const count = Number(last / step - first / step) + 1;
  return { from, to: from + BigInt(count) * step, step, count };
}

const cellRow = { type: oneOf(eventTypes), bucket: int8, count: int8 };
type Cell = Wire<typeof cellRow>;

function buildHistogram(
  grid: Grid,
  cells: readonly Cell[],
  counted: EventHistogram["counted"],
  share = 1,
): EventHistogram {
  const buckets = new Map<number, Partial<Record<EventType, number>>>();
  for (const { type, bucket, count } of cells) {
    const counts = buckets.get(Number(bucket)) ?? {};
    counts[type] = (counts[type] ?? 0) + Math.round(Number(count) / share);
    buckets.set(Number(bucket), counts);
  }
  return {
    from_ns: String(grid.from),
    to_ns: String(grid.to),
    step_ns: String(grid.step),
    buckets: [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([at, counts]) => ({ at: String(grid.from + BigInt(at) * grid.step), counts })),
    counted,
    share,
  };
}

/**
 * The distribution of matching events over time, by type; null without a match. The cost is bounded: up to 200,000 are
 * counted, more are estimated, and with filters by object, tag or metadata only the newest 20,000 are read.
 */
export async function eventHistogram(ctx: Ctx, given: EventHistogramQuery): Promise<EventHistogram | null> {
  const needless = given.demo === false && !(await hasDemoRows(ctx, "recordings"));
  const filters = needless ? { ...given, demo: undefined } : given;
  if (filters.recording_id || filters.device_id || filters.demo || filters.tags?.length || filters.metadata_filter)
    return countRows(ctx, filters);
  const range = await findRange(ctx, filters);
  if (!range) return null;
  const grid = computeGrid(range.first, range.last);
  if (await isFew(ctx, filters)) return buildHistogram(grid, await countAll(ctx, filters, grid), "exact");
  return sampleHistogram(ctx, filters, grid);
}

/** Every requested pair of type and severity, each a range of the (organization, type, severity, time) index. */
const pairs = ({ type, severity }: EventHistogramQuery): Prisma.Sql =>
  Prisma.sql`unnest(${[...(type ?? eventTypes)]}::text[]) as kind, unnest(${[...(severity ?? severities)]}::text[]) as level`;
const pairConditions = (ctx: Ctx, filters: EventHistogramQuery): Prisma.Sql =>
  Prisma.sql`${conditions(ctx, filters)} and e.type = kind and e.severity = level`;
/** The index does not say of which recording an event is: all are counted by it, and the few of the demo are subtracted. */
const withDemo = (filters: EventHistogramQuery): EventHistogramQuery => ({ ...filters, demo: undefined });

/** `counted` (type, bucket, count), less the demo's events that match and `where` keeps, where the filters leave them out. */
const withoutDemo = (ctx: Ctx, filters: EventHistogramQuery, grid: Grid, counted: Prisma.Sql, where: Prisma.Sql) =>
  filters.demo !== false
    ? counted
    : Prisma.sql`select c.type, c.bucket, sum(c.count)::bigint as count from (${counted} union all
        select e.type, (e.timestamp_ns - ${grid.from}::bigint) / ${grid.step}::bigint as bucket, -count(*) as count from events e
        where ${conditions(ctx, { ...filters, demo: true })} and e.type = any(${[...(filters.type ?? eventTypes)]})
          and e.severity = any(${[...(filters.severity ?? severities)]}) and ${where} group by 1, 2) c
      group by 1, 2 having sum(c.count) > 0`;

/** The times of the demo's events that match, where they are left out. */
const demoTimes = (ctx: Ctx, filters: EventHistogramQuery): Prisma.Sql =>
  Prisma.sql`select e.type, e.severity, e.timestamp_ns, count(*) as count from events e
    where ${filters.demo === false ? conditions(ctx, { ...filters, demo: true }) : Prisma.sql`false`} group by 1, 2, 3`;

/** The first or last time of a pair at which there are more events than those of the demo: one more than these is read. */
function edgeOfPair(ctx: Ctx, filters: EventHistogramQuery, order: "asc" | "desc"): Prisma.Sql {
  const direction = Prisma.raw(order);
  const ofPair = Prisma.sql`d.type = kind and d.severity = level`;
  return Prisma.sql`lateral (select f.timestamp_ns from (
      select n.timestamp_ns, count(*) as count from (
        select e.timestamp_ns from events e where ${pairConditions(ctx, withDemo(filters))} order by e.timestamp_ns ${direction}
        limit 1 + (select coalesce(sum(d.count), 0)::bigint from demo d where ${ofPair})) n group by 1) f
    left join demo d on ${ofPair} and d.timestamp_ns = f.timestamp_ns
    where f.count > coalesce(d.count, 0) order by 1 ${direction} limit 1)`;
}

async function findRange(ctx: Ctx, filters: EventHistogramQuery): Promise<{ first: bigint; last: bigint } | null> {
  const [row] = await sql(
    { first: nullable(text), last: nullable(text) },
    Prisma.sql`with demo as materialized (${demoTimes(ctx, filters)})
      select min(a.timestamp_ns)::text as first, max(z.timestamp_ns)::text as last
      from ${pairs(filters)}, ${edgeOfPair(ctx, filters, "asc")} a, ${edgeOfPair(ctx, filters, "desc")} z`,
  );
  if (row?.first === null || row?.last === null || !row) return null;
  // A requested range is returned in full, including empty edges, so that a brush stays where it was drawn.
  const { since, until } = filters;
  return since !== undefined && until !== undefined && until > since
    ? { first: since, last: until - 1n }
    : { first: BigInt(row.first), last: BigInt(row.last) };
}

async function isFew(ctx: Ctx, given: EventHistogramQuery): Promise<boolean> {
  const filters = withDemo(given);
  const max = maxExact + 1;
  const [row] = await sql(
    { count: int4 },
    filters.type || filters.severity
      ? Prisma.sql`select count(*)::int as count from (select 1 from ${pairs(filters)},
          lateral (select 1 from events e where ${pairConditions(ctx, filters)} limit ${max}) e limit ${max}) counted`
      : Prisma.sql`select count(*)::int as count from (select 1 from events e where ${conditions(ctx, filters)} limit ${max}) counted`,
  );
  return (row?.count ?? 0) < max;
}

function countAll(ctx: Ctx, filters: EventHistogramQuery, grid: Grid): Promise<Cell[]> {
  const counted = Prisma.sql`select kind as type, c.bucket, c.count from ${pairs(filters)},
    lateral (select (e.timestamp_ns - ${grid.from}::bigint) / ${grid.step}::bigint as bucket, count(*) as count
      from events e where ${pairConditions(ctx, withDemo(filters))} group by 1) c`;
  return sql(cellRow, withoutDemo(ctx, filters, grid, counted, Prisma.sql`true`));
}

/** Counts a slice of every quarter of every bucket, at aperiodic offsets, and extrapolates. */
async function sampleHistogram(ctx: Ctx, filters: EventHistogramQuery, grid: Grid): Promise<EventHistogram> {
  const [table] = await sql(
    { rows: float8 },
    Prisma.sql`select reltuples::float8 as rows from pg_class where oid = 'events'::regclass`,
  );
  const share = Math.min(0.25, targetSampleSize / Math.max(table?.rows ?? 0, maxExact));
  const stratum = grid.step / BigInt(slicesPerBucket);
  const width = BigInt(Math.max(1, Math.floor(Number(stratum) * share)));
  const starts = Array.from({ length: grid.count * slicesPerBucket }, (_, at) => {
    const place = (at * 0.618_033_988_75) % 1;
    return String(grid.from + BigInt(at) * stratum + BigInt(Math.floor(Number(stratum - width) * place)));
  });
  const counted = Prisma.sql`select kind as type, (s.start - ${grid.from}::bigint) / ${grid.step}::bigint as bucket,
      sum(c.count)::bigint as count
    from unnest(${starts}::bigint[]) as s(start), ${pairs(filters)},
    lateral (select count(*) as count from events e
      where ${pairConditions(ctx, withDemo(filters))} and e.timestamp_ns >= s.start
        and e.timestamp_ns < s.start + ${width}::bigint) c
    where c.count > 0 group by 1, 2`;
  const inSlice = Prisma.sql`e.timestamp_ns - (${starts}::bigint[])[1 + (e.timestamp_ns - ${grid.from}::bigint) / ${stratum}::bigint]
    between 0 and ${width - 1n}::bigint`;
  const cells = await sql(cellRow, withoutDemo(ctx, filters, grid, counted, inSlice));
  return buildHistogram(grid, cells, "sampled", Number(width) / Number(stratum));
}

async function countRows(ctx: Ctx, filters: EventHistogramQuery): Promise<EventHistogram | null> {
  const kinds = filters.type ? Prisma.sql`and e.type = any(${[...filters.type]})` : Prisma.empty;
  const levels = filters.severity ? Prisma.sql`and e.severity = any(${[...filters.severity]})` : Prisma.empty;
  const rows = await sql(
    { type: oneOf(eventTypes), at: text },
    Prisma.sql`select e.type, e.timestamp_ns::text as at from events e
    where ${conditions(ctx, filters)} ${kinds} ${levels} order by e.timestamp_ns desc limit ${maxRows}`,
  );
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return null;
  const grid = computeGrid(BigInt(oldest.at), BigInt(newest.at));
  const cells = rows.map(({ type, at }) => ({ type, bucket: Number((BigInt(at) - grid.from) / grid.step), count: 1 }));
  return buildHistogram(grid, cells, rows.length < maxRows ? "exact" : "newest");
}
