import { severities } from "@/domain/severity";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { tabPredicate } from "@/server/read-models/inbox/inbox";
import { counted, demoOnly } from "@/server/read-models/overview/tiles";

/** How many of each kind are named; the rest is only counted. */
const maxNamed = 5;
/** Where counting stops; the screen then shows "1,000+". */
const needCeiling = 1_000;

const alertRow = {
  rule_id: text,
  rule_name: text,
  severity: oneOf(severities),
  count: int4,
  devices: int4,
  /** The worst and newest of them: its uid, its device's name, and when it triggered. */
  alert_id: text,
  device_name: text,
  triggered_at: timestamptz,
};
const deviceRow = { uid: text, name: text, last_seen_at: nullable(timestamptz) };
const recordingRow = {
  uid: text,
  name: text,
  device_name: text,
  error_message: nullable(text),
  started_at: timestamptz,
};

export interface Needs {
  ceiling: number;
  /** Open alerts by rule, the worst rules first, of one severity those that triggered last. */
  alerts: Wire<typeof alertRow>[];
  /** Devices without a heartbeat, those that were lost last first. */
  offline: { count: number; devices: Wire<typeof deviceRow>[] };
  /** Recordings that could not be processed, the newest first. */
  failed: { count: number; recordings: Wire<typeof recordingRow>[] };
}

/** What needs somebody now: open alerts, lost devices and failed recordings, each list bounded in any storm. */
export async function readNeeds(ctx: Ctx): Promise<Needs> {
  const [demo, silences] = await Promise.all([demoOnly(ctx), activeSilences(ctx)]);
  const org = ctx.organizationId;
  const [alerts, offline, failed] = await Promise.all([
    sql(
      alertRow,
      Prisma.sql`
      with open as (
        select a.uid, a.rule_id, coalesce(r.name, a.rule_name) as rule_name, a.device_id,
          coalesce(d.name, a.device_name) as device_name, a.severity_rank, a.triggered_at
        from (select * from alerts a where a.organization_id = ${org} and a.status = 'open'
          ${counted("a", demo)} ${tabPredicate("open", silences)}
          order by a.severity_rank desc, a.uid desc limit ${needCeiling}) a
        left join rules r on r.uid = a.rule_id left join devices d on d.uid = a.device_id),
      newest as (
        select distinct on (rule_id) * from open order by rule_id, severity_rank desc, triggered_at desc, uid desc),
      sizes as (
        select rule_id, count(*)::int as count, count(distinct device_id)::int as devices from open group by rule_id)
      select n.rule_id, n.rule_name, ${severityOfRank(Prisma.sql`n.severity_rank`)} as severity, s.count, s.devices,
        n.uid as alert_id, n.device_name, n.triggered_at
      from newest n join sizes s using (rule_id)
      order by n.severity_rank desc, n.triggered_at desc, n.uid desc limit ${maxNamed}`,
    ),
    sql(
      { ...deviceRow, count: int4 },
      Prisma.sql`
      select uid, name, last_seen_at, count(*) over ()::int as count from (
        select d.uid, d.name, d.last_seen_at from devices d
        where d.organization_id = ${org} and d.status = 'offline' ${counted("d", demo)}
        order by d.uid desc limit ${needCeiling + 1}) lost
      order by last_seen_at desc nulls last, uid desc limit ${maxNamed}`,
    ),
    sql(
      { ...recordingRow, count: int4 },
      Prisma.sql`
      select f.uid, f.name, coalesce(d.name, f.device_name) as device_name, f.error_message, f.started_at,
        count(*) over ()::int as count
      from (select r.* from recordings r where r.organization_id = ${org} and r.status = 'error' ${counted("r", demo)}
        order by r.uid desc limit ${needCeiling + 1}) f
      left join devices d on d.uid = f.device_id order by f.uid desc limit ${maxNamed}`,
    ),
  ]);
  return {
    ceiling: needCeiling,
    alerts,
    offline: { count: offline[0]?.count ?? 0, devices: offline.map(({ count: _, ...device }) => device) },
    failed: { count: failed[0]?.count ?? 0, recordings: failed.map(({ count: _, ...recording }) => recording) },
  };
}
