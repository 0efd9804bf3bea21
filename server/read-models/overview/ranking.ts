import type { ShownRows } from "@/domain/demo/schema";
import { deviceStatuses, type DeviceStatus } from "@/domain/devices/connectivity";
import type { NamedGroup } from "@/domain/overview/schema";
import { severities, type Severity } from "@/domain/severity";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { activeSilences } from "@/server/features/silences/match-queries";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { bool, int4, jsonbObject, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { readBounded, type Harm } from "@/server/read-models/health/readings";
import { tabPredicate } from "@/server/read-models/inbox/inbox";

/** How far back alerts make a robot noisy. */
export const noiseMs = 7 * 86_400_000;
const maxDevices = 20_000;
const maxAlerts = 20_000;

const robotRow = {
  uid: text,
  name: text,
  type: text,
  status: oneOf(deviceStatuses),
  demo: bool,
  last_seen_at: nullable(timestamptz),
  /** Those of its last heartbeat that can be out of their range. */
  bounded: jsonbObject,
  worst: nullable(oneOf(severities)),
  noise: int4,
};

export interface RankedRobot extends Omit<Wire<typeof robotRow>, "bounded"> {
  /** How bad the worst of its metrics is. */
  harm: Harm;
  /** Ascends from those that need somebody most; ends with the uid. */
  key: readonly (string | number)[];
}

/** The columns of `key`. */
export const rankColumns = ["worst", "harm", "offline", "noise", "name", "uid"] as const;

/** The highest severity of each device's open alerts neither silenced nor snoozed, among the 20,000 worst. */
export const openByDevice = (ctx: Ctx, demo: boolean | undefined, away: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select device_id, max(severity_rank) as rank from (
    select a.device_id, a.severity_rank from alerts a
    where a.organization_id = ${ctx.organizationId} and a.status = 'open' ${demoFilter("a", demo)} ${away}
    order by a.severity_rank desc, a.uid desc limit ${maxAlerts}) open group by device_id`;

/** `and …`: the device is in the group itself, or in none. */
function isIn(group: NamedGroup | undefined): Prisma.Sql {
  if (group === undefined) return Prisma.empty;
  const members = Prisma.sql`exists (select 1 from device_group_members m where m.device_id = d.uid`;
  return group === "none" ? Prisma.sql`and not ${members})` : Prisma.sql`and ${members} and m.group_id = ${group})`;
}

const harmRanks: Readonly<Record<Harm, number>> = { critical: 0, warning: 1, none: 2 };
const offlineFirst = (status: DeviceStatus) => (status === "offline" ? 0 : 1);
const toRank = (worst: Severity | null) => (worst === null ? -1 : severities.indexOf(worst));

/** Before or after, by the first member that differs. */
export function compareKeys(a: RankedRobot["key"], b: RankedRobot["key"]): number {
  const at = a.findIndex((each, place) => each !== b[place]);
  return at === -1 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}

/** Whether a robot needs nobody: no alert is open, no metric is out of its range, and it is not lost. */
export const isFine = ({ worst, harm, status }: Pick<RankedRobot, "worst" | "harm" | "status">): boolean =>
  worst === null && harm === "none" && status !== "offline";

/**
 * The robots that are counted, of a group or all, by how much they need somebody: the worst open alert, a metric out of
 * its range, offline, then the alerts of the last seven days. Reads the fleet once, in a fixed number of statements.
 */
export async function rankRobots(ctx: Ctx, { demo }: ShownRows, group?: NamedGroup): Promise<RankedRobot[]> {
  const [silences, health] = await Promise.all([activeSilences(ctx), readBounded(ctx)]);
  const since = new Date(databaseMs() - noiseMs);
  const rows = await sql(
    robotRow,
    Prisma.sql`
    with open as (${openByDevice(ctx, demo, tabPredicate("open", silences))}),
    recent as (select device_id, count(*)::int as count from (
      select a.device_id from alerts a
      where a.organization_id = ${ctx.organizationId} and a.triggered_at >= ${since}::timestamptz
      order by a.triggered_at desc limit ${maxAlerts}) a group by device_id)
    select d.uid, d.name, d.type, d.status, d.demo, d.last_seen_at, b.bounded, ${severityOfRank(Prisma.sql`o.rank`)} as worst,
      coalesce(n.count, 0) as noise
    from (select * from devices d where d.organization_id = ${ctx.organizationId} ${demoFilter("d", demo)} ${isIn(group)}
      order by d.uid desc limit ${maxDevices}) d
    cross join lateral (select coalesce(jsonb_object_agg(n.name, coalesce(d.metrics -> n.name,
      d.metrics #> string_to_array(n.name, '.'))), '{}') as bounded from unnest(${health.names}::text[]) as n(name)) b
    left join open o on o.device_id = d.uid left join recent n on n.device_id = d.uid`,
  );
  const robots = rows.map(({ bounded, ...row }): RankedRobot => {
    const harm = health.judge(bounded, row.type);
    const worst = severities.length - toRank(row.worst);
    return { ...row, harm, key: [worst, harmRanks[harm], offlineFirst(row.status), -row.noise, row.name, row.uid] };
  });
  return robots.sort((a, b) => compareKeys(a.key, b.key));
}

const memberRow = { uid: text, name: text, path: text, device_id: text };
type Membership = Wire<typeof memberRow>;

/** Which devices are in which groups themselves, with the way to each group. */
export const readMemberships = (ctx: Ctx): Promise<Membership[]> =>
  query(
    ctx,
    memberRow,
    Prisma.sql`select g.uid, g.name, g.path, m.device_id from (
        select g.uid, g.name, (select coalesce(string_agg(a.name, ' / ' order by o.at), '')
          from unnest(g.ancestors) with ordinality as o(uid, at) join device_groups a on a.uid = o.uid) as path
        from device_groups g where g.organization_id = ${ctx.organizationId} order by g.uid) g
      join device_group_members m on m.group_id = g.uid limit ${3 * maxDevices}`,
  );
