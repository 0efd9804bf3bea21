import type { DeviceStatus } from "@/domain/devices/connectivity";
import { cellCeiling } from "@/domain/limits";
import type { RobotsRequest } from "@/domain/overview/schema";
import { severities, type Severity } from "@/domain/severity";
import type { MetricReading } from "@/server/features/devices/resource";
import { activeSilences } from "@/server/features/silences/match-queries";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, jsonbObject, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { readWorstOrFirst } from "@/server/read-models/health/readings";
import { tabPredicate } from "@/server/read-models/inbox/inbox";
import {
  compareKeys,
  isFine,
  noiseMs,
  rankColumns,
  rankRobots,
  type RankedRobot,
} from "@/server/read-models/overview/ranking";
import { toCounts } from "@/server/read-models/overview/tiles";

/** Rules that a row names. */
const maxRules = 2;
/** The alerts of a robot's last seven days are drawn by half a day, the newest of them. */
const [slots, maxDrawn] = [14, 1_000];

const ruleRow = {
  device_id: text,
  rule_id: text,
  name: text,
  severity: oneOf(severities),
  count: int4,
  /** The newest of them. */
  alert_id: text,
  triggered_at: timestamptz,
};

/** A rule with open alerts of a robot. */
interface OpenRule {
  rule_id: string;
  name: string;
  severity: Severity;
  count: number;
  alert_id: string;
  triggered_at: string;
}

export interface RobotRow {
  uid: string;
  name: string;
  status: DeviceStatus;
  demo: boolean;
  last_seen_at: string | null;
  worst: Severity | null;
  /** Neither silenced nor snoozed, of the newest 100. */
  open_alerts: number;
  open_by_severity: Record<Severity, number>;
  /** The worst rules that they are of, of one severity those that triggered last, and how many there are beside them. */
  rules: OpenRule[];
  more_rules: number;
  /** The metric that is worst out of its range, else the one that is shown first for its type. */
  reading: MetricReading | null;
  last_run: { recording_id: string; started_at: string } | null;
  /** Alerts of the last seven days by half a day, the oldest first. */
  week: number[];
}

/** What rows show beside the rank, in a fixed number of statements, each a short index range a robot. */
export async function readRobotRows(ctx: Ctx, robots: readonly RankedRobot[]): Promise<RobotRow[]> {
  if (robots.length === 0) return [];
  const uids = robots.map(({ uid }) => uid);
  const [rules, shown, weeks] = await Promise.all([
    readOpenRules(ctx, uids),
    readDevices(ctx, uids),
    readWeeks(ctx, uids),
  ]);
  return robots.map(({ uid, name, status, demo, last_seen_at, worst }) => ({
    ...{ uid, name, status, demo, last_seen_at, worst },
    ...(rules.get(uid) ?? noAlerts()),
    ...(shown.get(uid) ?? { reading: null, last_run: null }),
    week: weeks.get(uid) ?? Array.from({ length: slots }, () => 0),
  }));
}

type OpenAlerts = Pick<RobotRow, "open_alerts" | "open_by_severity" | "rules" | "more_rules">;

const noAlerts = (): OpenAlerts => ({
  ...{ open_alerts: 0, open_by_severity: toCounts(severities), rules: [], more_rules: 0 },
});

async function readOpenRules(ctx: Ctx, uids: readonly string[]): Promise<Map<string, OpenAlerts>> {
  const silences = await activeSilences(ctx);
  const rows = await sql(
    ruleRow,
    Prisma.sql`
    select d.uid as device_id, o.rule_id, coalesce(r.name, o.rule_name) as name,
      ${severityOfRank(Prisma.sql`o.severity_rank`)} as severity, o.count, o.alert_id, o.triggered_at
    from unnest(${[...uids]}::text[]) as d(uid) cross join lateral (
      select rule_id, severity_rank, max(rule_name) as rule_name, count(*)::int as count, max(triggered_at) as triggered_at,
        (array_agg(uid order by triggered_at desc, uid desc))[1] as alert_id
      from (select a.uid, a.rule_id, a.rule_name, a.severity_rank, a.triggered_at from alerts a
        where a.device_id = d.uid and a.status = 'open' and a.organization_id = ${ctx.organizationId}
          ${tabPredicate("open", silences)} order by a.uid desc limit ${cellCeiling}) a
      group by rule_id, severity_rank) o
    left join rules r on r.uid = o.rule_id and r.organization_id = ${ctx.organizationId}
    order by o.severity_rank desc, o.triggered_at desc, o.alert_id desc`,
  );
  const found = new Map<string, OpenAlerts>();
  for (const { device_id: device, ...rule } of rows) {
    const open = found.get(device) ?? noAlerts();
    open.open_alerts += rule.count;
    open.open_by_severity[rule.severity] += rule.count;
    // One that was changed has alerts of two severities, the worse first.
    const same = open.rules.find(({ rule_id: uid }) => uid === rule.rule_id);
    if (same) same.count += rule.count;
    else open.rules.push(rule);
    found.set(device, open);
  }
  for (const open of found.values()) {
    open.more_rules = Math.max(0, open.rules.length - maxRules);
    open.rules.length -= open.more_rules;
  }
  return found;
}

const deviceRow = {
  uid: text,
  type: text,
  metrics: jsonbObject,
  recording_id: nullable(text),
  started_at: nullable(timestamptz),
};
type Shown = Pick<RobotRow, "reading" | "last_run">;

async function readDevices(ctx: Ctx, uids: readonly string[]): Promise<Map<string, Shown>> {
  const rows = await sql(
    deviceRow,
    Prisma.sql`select v.uid, v.type, v.metrics, r.uid as recording_id, r.started_at
      from unnest(${[...uids]}::text[]) as d(uid) join devices v on v.uid = d.uid and v.organization_id = ${ctx.organizationId}
      left join lateral (select uid, started_at from recordings
        where device_id = d.uid and organization_id = ${ctx.organizationId}
        order by started_at desc, uid desc limit 1) r on true`,
  );
  const readings = await readWorstOrFirst(ctx, rows);
  return new Map(
    rows.map(({ uid, recording_id: recording, started_at: at }, place) => [
      uid,
      {
        reading: readings[place] ?? null,
        last_run: recording !== null && at !== null ? { recording_id: recording, started_at: at } : null,
      },
    ]),
  );
}

async function readWeeks(ctx: Ctx, uids: readonly string[]): Promise<Map<string, number[]>> {
  const until = databaseMs();
  const slotMs = noiseMs / slots;
  const rows = await sql(
    { device_id: text, ago: int4, count: int4 },
    Prisma.sql`select d.uid as device_id, a.ago, count(*)::int as count from unnest(${[...uids]}::text[]) as d(uid)
      cross join lateral (
        select floor((${until}::float8 - extract(epoch from triggered_at)::float8 * 1000) / ${slotMs}::float8)::int as ago
        from alerts where device_id = d.uid and organization_id = ${ctx.organizationId}
          and triggered_at > ${new Date(until - noiseMs)}::timestamptz and triggered_at <= ${new Date(until)}::timestamptz
        order by triggered_at desc, uid desc limit ${maxDrawn}) a
      group by d.uid, a.ago`,
  );
  const weeks = new Map<string, number[]>();
  for (const { device_id: device, ago, count } of rows) {
    const week = weeks.get(device) ?? Array.from({ length: slots }, () => 0);
    week[slots - 1 - ago] = count;
    weeks.set(device, week);
  }
  return weeks;
}

/**
 * Robots of a group or of all, those first that need somebody most: either those that do or those that are fine. Each
 * page ranks the fleet again, and goes on after the rank of the last row. Throws `invalid("cursor")`.
 */
export async function listRobots(ctx: Ctx, request: RobotsRequest): Promise<Page<RobotRow>> {
  const { limit, cursor, ...filters } = request;
  const robots = await rankRobots(ctx, filters, filters.group);
  const wanted = robots.filter((robot) => isFine(robot) === filters.fine);
  const page = await keysetPage<RankedRobot>(ctx, {
    name: "robots",
    filters,
    page: { limit, cursor },
    order: { columns: rankColumns, direction: "asc" },
    key: ({ key }) => key,
    fetch: ({ key, descending, limit: rows }) => {
      const sorted = descending ? wanted.toReversed() : wanted;
      const isBeyond = ({ key: own }: RankedRobot) => key === null || compareKeys(own, key) * (descending ? -1 : 1) > 0;
      return Promise.resolve(sorted.filter(isBeyond).slice(0, rows));
    },
  });
  return { ...page, results: await readRobotRows(ctx, page.results) };
}
