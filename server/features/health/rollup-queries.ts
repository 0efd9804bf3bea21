import { Prisma } from "@/server/platform/database/generated/client";

/** A period of rollups, as PostgreSQL writes it. */
export type Bucket = "5 minutes" | "1 hour";

/** The begin of the bucket in which a time is. */
export const toBegin = (bucket: Bucket, at: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`date_bin(${bucket}::interval, ${at}, '2000-01-01Z'::timestamptz)`;

/**
 * A number as part of a sum that cannot overflow or underflow, which PostgreSQL refuses. Numbers below 1e-290 become 0,
 * those above 1.7e308 become that. `unscale` gives a mean of such numbers.
 */
const scale = (
  value: Prisma.Sql,
): Prisma.Sql => Prisma.sql`(case when ${value} is null then null when abs(${value}) < 1e-290::float8 then 0
  else greatest(least(${value}, 1.7e308::float8), -1.7e308::float8) / 16777216 end)`;
const unscale = (sum: Prisma.Sql, count: Prisma.Sql): Prisma.Sql => Prisma.sql`${sum} / nullif(${count}, 0) * 16777216`;

/** The mean of means that stand for so many points each, as an aggregate. */
export const meanOfMeans = (mean: Prisma.Sql, counts: Prisma.Sql): Prisma.Sql =>
  unscale(Prisma.sql`sum(${scale(mean)} * ${counts})`, Prisma.sql`sum(${counts})`);

/** A row for each device, bucket and list, from `cells`, a row for each position of its list. */
const collect = (cells: Prisma.Sql): Prisma.Sql => Prisma.sql`select g.device, g.at, g.list,
    array_agg(g.minimum order by g.position) as minimum, array_agg(g.mean order by g.position) as mean,
    array_agg(g.maximum order by g.position) as maximum, array_agg(g.last order by g.position) as last,
    array_agg(g.counts order by g.position) as counts
  from (${cells}) g group by g.device, g.at, g.list having bool_or(g.counts > 0)`;

const value = Prisma.sql`c.value`;

/** Rollups of five minutes of points: `source` is what follows `from`, with the points as `p`; `where` limits them. */
export const ofPoints = (source: Prisma.Sql, where: Prisma.Sql): Prisma.Sql =>
  collect(Prisma.sql`select p.device, ${toBegin("5 minutes", Prisma.sql`p.at`)} as at, p.list, v.position,
      min(c.value) as minimum, ${unscale(Prisma.sql`sum(${scale(value)})`, Prisma.sql`count(c.value)`)} as mean,
      max(c.value) as maximum, (array_agg(c.value order by p.at desc) filter (where c.value is not null))[1] as last,
      count(c.value)::int as counts
    from ${source} cross join lateral unnest(p."values") with ordinality as v(value, position)
      cross join lateral (select case when v.value > '-Infinity' and v.value < 'Infinity' then v.value end) as c(value)
    where ${where} group by 1, 2, 3, 4`);

/** Rollups of an hour of those of five minutes, as `p`. */
export const ofRollups = (where: Prisma.Sql): Prisma.Sql =>
  collect(Prisma.sql`select p.device, ${toBegin("1 hour", Prisma.sql`p.at`)} as at, p.list, v.position,
      min(v.minimum) as minimum,
      ${meanOfMeans(Prisma.sql`v.mean`, Prisma.sql`v.counts`)} as mean,
      max(v.maximum) as maximum, (array_agg(v.last order by p.at desc) filter (where v.last is not null))[1] as last,
      coalesce(sum(v.counts), 0)::int as counts
    from metric_rollups_5m p
      cross join lateral unnest(p.minimum, p.mean, p.maximum, p.last, p.counts) with ordinality
        as v(minimum, mean, maximum, last, counts, position)
    where ${where} group by 1, 2, 3, 4`);

const columns = Prisma.sql`device, at, list, minimum, mean, maximum, last, counts`;

/** Replaces rollups that are there. */
const replacing = Prisma.sql`on conflict (device, at, list) do update set minimum = excluded.minimum,
  mean = excluded.mean, maximum = excluded.maximum, last = excluded.last, counts = excluded.counts`;

/** Adds points to the rollups `r` that are there, by position; their last values are taken for the later ones. */
export const merging = Prisma.sql`on conflict (device, at, list) do update set
  (minimum, mean, maximum, last, counts) = (
    select array_agg(least(v.minimum, v.more_minimum) order by v.position),
      array_agg(${unscale(
        Prisma.sql`(coalesce(${scale(Prisma.sql`v.mean`)} * v.counts, 0) + coalesce(${scale(Prisma.sql`v.more_mean`)} * v.more_counts, 0))`,
        Prisma.sql`coalesce(v.counts, 0) + coalesce(v.more_counts, 0)`,
      )} order by v.position),
      array_agg(greatest(v.maximum, v.more_maximum) order by v.position),
      array_agg(coalesce(v.more_last, v.last) order by v.position),
      array_agg(coalesce(v.counts, 0) + coalesce(v.more_counts, 0) order by v.position)
    from unnest(r.minimum, r.mean, r.maximum, r.last, r.counts,
        excluded.minimum, excluded.mean, excluded.maximum, excluded.last, excluded.counts) with ordinality
      as v(minimum, mean, maximum, last, counts, more_minimum, more_mean, more_maximum, more_last, more_counts, position))`;

/** The statement that writes rollups of a bucket. */
export const writeRollups = (bucket: Bucket, rows: Prisma.Sql, onConflict = replacing): Prisma.Sql =>
  Prisma.sql`insert into ${Prisma.raw(bucket === "1 hour" ? "metric_rollups_1h" : "metric_rollups_5m")} as r (${columns})
    select ${columns} from (${rows}) made ${onConflict}`;
