import type { ShownRows } from "@/domain/demo/schema";
import { deviceStatuses, type DeviceStatus } from "@/domain/devices/connectivity";
import { severities, type Severity } from "@/domain/severity";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { float8, int4, oneOf } from "@/server/platform/rows";
import { tabPredicate } from "@/server/read-models/inbox/inbox";

/** The maximum of every count; the screen then shows "5,000+". */
const ceiling = 5_000;
const dayMs = 86_400_000;

export interface Tiles {
  ceiling: number;
  devices: Record<DeviceStatus, number>;
  alerts: Record<Severity, number>;
  /** What was recorded during the current day, whenever it was uploaded: number, hours and bytes, and how many failed to process. */
  recordings: { count: number; hours: number; bytes: number; failed: number };
  /** Rules with an open alert that is neither silenced nor snoozed. */
  firing: number;
}

/** A count for each key, 0 for keys that were not counted. */
export const toCounts = <Key extends string>(
  keys: readonly Key[],
  counted: readonly (readonly [Key, number])[] = [],
): Record<Key, number> =>
  Object.fromEntries([...keys.map((key) => [key, 0] as const), ...counted]) as Record<Key, number>;

/** The figures at the head of the overview, each from an index range and limited by the ceiling. */
export async function readTiles(ctx: Ctx, since: Date, { demo }: ShownRows): Promise<Tiles> {
  const silences = await activeSilences(ctx);
  const org = ctx.organizationId;
  const [devices, alerts, recordings, firing] = await Promise.all([
    sql(
      { status: oneOf(deviceStatuses), count: int4 },
      Prisma.sql`
      select s.status, c.count from unnest(${[...deviceStatuses]}::text[]) as s(status)
      cross join lateral (select count(*)::int as count from (
        select 1 from devices d where d.organization_id = ${org} and d.status = s.status ${demoFilter("d", demo)} limit ${ceiling + 1}) n) c`,
    ),
    sql(
      { severity: oneOf(severities), count: int4 },
      Prisma.sql`
      select s.severity, c.count from unnest(${[...severities]}::text[]) with ordinality as s(severity, rank)
      cross join lateral (select count(*)::int as count from (
        select 1 from alerts a where a.organization_id = ${org} and a.status = 'open' and a.severity_rank = s.rank - 1
          ${demoFilter("a", demo)} ${tabPredicate("open", silences)} limit ${ceiling + 1}) n) c`,
    ),
    sql(
      { count: int4, hours: float8, bytes: float8, failed: int4 },
      Prisma.sql`
      select count(*)::int as count, count(*) filter (where status = 'error')::int as failed,
        coalesce(sum(case when end_ns is null then 0 else (end_ns - start_ns)::float8 end), 0) / 3.6e12 as hours,
        coalesce(sum(size_bytes), 0)::float8 as bytes
      from (select r.status, r.start_ns, r.end_ns, r.size_bytes from recordings r
        where r.organization_id = ${org} and r.started_at >= ${since} and r.started_at < ${new Date(since.getTime() + dayMs)}
          ${demoFilter("r", demo)}
        order by r.started_at desc limit ${ceiling + 1}) today`,
    ),
    sql(
      { count: int4 },
      Prisma.sql`
      select count(distinct rule_id)::int as count from (
        select a.rule_id from alerts a where a.organization_id = ${org} and a.status = 'open' ${demoFilter("a", demo)}
          ${tabPredicate("open", silences)} order by a.severity_rank desc, a.uid desc limit ${2 * ceiling}) open`,
    ),
  ]);
  const today = recordings[0];
  return {
    ceiling,
    devices: toCounts(
      deviceStatuses,
      devices.map(({ status, count }) => [status, count]),
    ),
    alerts: toCounts(
      severities,
      alerts.map(({ severity, count }) => [severity, count]),
    ),
    recordings: {
      count: today?.count ?? 0,
      hours: today?.hours ?? 0,
      bytes: today?.bytes ?? 0,
      failed: today?.failed ?? 0,
    },
    firing: firing[0]?.count ?? 0,
  };
}
