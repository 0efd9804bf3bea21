import { Prisma } from "@/server/platform/database/generated/client";

/** Minutes after which the rollup of five minutes is made: who writes a point of theirs later has them made again. */
const rollupDelay = { bucketMinutes: 5, marginMinutes: 1 } as const;

/** Whether the tables have parts for the time of a point. Without one, PostgreSQL would refuse the whole statement. */
export const hasPart = (at: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`to_regclass('metric_points_' || to_char(${at} at time zone 'UTC', 'YYYYMMDD')) is not null`;

const bucket = (at: Prisma.Sql) =>
  Prisma.sql`date_bin(${`${rollupDelay.bucketMinutes} minutes`}::interval, ${at}, '2000-01-01Z'::timestamptz)`;

/** An insert that has rollups made again for points that came after theirs; of `points`, a relation of (device, at). */
export const noteLate = (points: Prisma.Sql): Prisma.Sql => Prisma.sql`insert into metric_late (device, at)
  select distinct device, ${bucket(Prisma.sql`at`)} from ${points} p
  where ${bucket(Prisma.sql`at`)} < now() - ${`${rollupDelay.bucketMinutes + rollupDelay.marginMinutes} minutes`}::interval
  on conflict do nothing`;

/**
 * The common table expressions that keep the points of `seen` (number, seen_at, list, values, states, has_part, of the
 * device before: metrics_before, and next_at, the time of the point that follows where there is one), a heartbeat of a
 * device each. A state is written when it differs from the one before, which is that of the heartbeat before, or the last
 * one that was kept; it changes back with the point that follows.
 */
export const keepSeen: Prisma.Sql = Prisma.sql`
  pointed as (
    insert into metric_points (device, at, list, "values")
    select number, seen_at, list, "values" from seen where list is not null and has_part
    on conflict do nothing returning device, at
  ), late as (${noteLate(Prisma.sql`pointed`)}
  ), sent as materialized (
    select s.number as device, c.name, s.seen_at, s.next_at, c.value, c.fresh, case
        when s.next_at is null and s.metrics_before #> c.path is not null then s.metrics_before #> c.path
        else (select m.value from metric_changes m
          where m.device = s.number and m.name = c.name and m.at <= s.seen_at order by m.at desc limit 1) end as before
    from seen s, jsonb_to_recordset(s.states) as c(name int, path text[], value jsonb, fresh boolean)
    where s.list is not null and s.has_part and (s.next_at is null or s.number in (select device from pointed))
  ), stated as (
    insert into metric_changes (device, name, at, value)
    select device, name, seen_at, value from sent where fresh or value is distinct from before
    on conflict do nothing
  ), returned as (
    insert into metric_changes (device, name, at, value)
    select device, name, next_at, before from sent
    where next_at is not null and before is not null and value is distinct from before
    on conflict do nothing
  )`;
