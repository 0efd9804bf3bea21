import { cellCeiling } from "@/domain/limits";
import { severities } from "@/domain/severity";
import { demoFilter, hasDemoRows, hasOwnDevice } from "@/server/features/devices/demo-queries";
import { activeSilences, type ActiveSilence } from "@/server/features/silences/match-queries";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { uidFloor } from "@/server/platform/uid";
import type { FleetHealth } from "@/server/read-models/fleet/resource";
import { tabPredicate } from "@/server/read-models/inbox/inbox";
import { readTiles } from "@/server/read-models/overview/tiles";

const hourMs = 3_600_000;

const maxOffline = 20;
const maxRises = 5;
/** The maximum of alerts that are compared, newest first. */
const maxAlerts = 50_000;

const offlineRow = {
  uid: text,
  name: text,
  offline_since: nullable(timestamptz),
  last_seen_at: nullable(timestamptz),
  open_alerts: int4,
  worst_severity: nullable(oneOf(severities)),
};

/** Whether the demo fleet is all there is. */
const hasOnlyDemo = async (ctx: Ctx): Promise<boolean> =>
  !(await hasOwnDevice(ctx)) && (await hasDemoRows(ctx, "devices"));

/** Offline devices, the last seen first, with their open alerts counted up to 100. */
const listOffline = (ctx: Ctx, demo: boolean | undefined, silences: readonly ActiveSilence[]) =>
  sql(
    offlineRow,
    Prisma.sql`
    select d.uid, d.name, c.offline_since, d.last_seen_at, o.open_alerts, o.worst_severity
    from (
      select d.uid, d.name, d.last_seen_at from devices d
      where d.organization_id = ${ctx.organizationId} and d.status = 'offline' ${demoFilter("d", demo)}
      order by d.last_seen_at desc nulls last, d.uid desc limit ${maxOffline}) d
    left join lateral (
      select case when newest.status = 'offline' then newest.at end as offline_since from (
        select c.status, c.at from device_status_changes c
        where c.device_id = d.uid and c.organization_id = ${ctx.organizationId} order by c.at desc limit 1) newest) c on true
    cross join lateral (
      select count(*)::int as open_alerts, ${severityOfRank(Prisma.sql`max(severity_rank)`)} as worst_severity from (
        select a.severity_rank from alerts a
        where a.device_id = d.uid and a.status = 'open' and a.organization_id = ${ctx.organizationId} ${tabPredicate("open", silences)}
        limit ${cellCeiling}) open) o
    order by d.last_seen_at desc nulls last, d.uid desc`,
  );

const riseRow = { uid: text, name: text, alerts: int4, before: int4, worst_severity: oneOf(severities) };

/** The rules or devices with more alerts between `middle` and `to` than between `from` and `middle`. */
function listRises(
  ctx: Ctx,
  demo: boolean | undefined,
  by: "rule" | "device",
  from: number,
  middle: number,
  to: number,
) {
  const [id, name] = [Prisma.raw(`${by}_id`), Prisma.raw(`${by}_name`)];
  // An alert is created at or after its trigger, up to a difference of clocks.
  const floor = uidFloor("alert", from - 24 * hourMs);
  return sql(
    riseRow,
    Prisma.sql`
    select uid, max(name) as name, count(*) filter (where recent)::int as alerts, count(*) filter (where not recent)::int as before,
      ${severityOfRank(Prisma.sql`max(severity_rank) filter (where recent)`)} as worst_severity
    from (
      select a.${id} as uid, a.${name} as name, a.severity_rank, a.triggered_at >= ${new Date(middle)}::timestamptz as recent from alerts a
      where a.organization_id = ${ctx.organizationId} and a.uid >= ${floor} and a.triggered_at >= ${new Date(from)}::timestamptz
        and a.triggered_at < ${new Date(to)}::timestamptz ${demoFilter("a", demo)}
      order by a.uid desc limit ${maxAlerts}) compared
    group by uid having count(*) filter (where recent) > count(*) filter (where not recent)
    order by count(*) filter (where recent) - count(*) filter (where not recent) desc, uid limit ${maxRises}`,
  );
}

/**
 * How the fleet is: devices by status, open alerts by severity, what is offline, and what raised more alerts in the
 * last `hours` than in those before. Demo rows count only where nothing else exists.
 */
export async function readFleetHealth(ctx: Ctx, hours: number, now = databaseMs()): Promise<FleetHealth> {
  const since = now - hours * hourMs;
  const [demoOnly, silences] = await Promise.all([hasOnlyDemo(ctx), activeSilences(ctx)]);
  const demo = demoOnly ? undefined : false;
  const before = since - hours * hourMs;
  const [tiles, offline, rules, devices] = await Promise.all([
    readTiles(ctx, new Date(since), { demo }),
    listOffline(ctx, demo, silences),
    listRises(ctx, demo, "rule", before, since, now),
    listRises(ctx, demo, "device", before, since, now),
  ]);
  const { count, failed } = tiles.recordings;
  return {
    since: new Date(since).toISOString(),
    until: new Date(now).toISOString(),
    demo_only: demoOnly,
    devices: tiles.devices,
    open_alerts: tiles.alerts,
    recordings: { count, failed },
    ceiling: tiles.ceiling,
    offline,
    worse: { rules, devices },
  };
}
