import type { BulkMatching, GroupRequest, TabFilters } from "@/domain/alerts/inbox-schema";
import { severities } from "@/domain/severity";
import { isoTime } from "@/domain/wire-values";
import { alertColumns, alertRow, alertTables } from "@/server/features/alerts/alert-queries";
import { serializeAlert, type AlertResource, type BulkResult } from "@/server/features/alerts/resource";
import { narrow } from "@/server/features/alerts/service";
import { bulkAlerts } from "@/server/features/alerts/triage-service";
import { activeSilences, type ActiveSilence } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage } from "@/server/platform/pagination";
import { arrayOf, int2, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { listStatuses, sameWhenRelative, tabPredicate } from "@/server/read-models/inbox/inbox";

/**
 * Groups are made of the worst and newest alerts, at most this number; and at most `groupCeiling` groups are returned.
 */
const alertCeiling = 10_000;
const groupCeiling = 200;

const alertGroupRow = {
  /** The rule's or the device's uid. */
  key: text,
  name: text,
  count: int4,
  occurrences: int4,
  devices: int4,
  rules: int4,
  /** The name of the one device (of a rule's group) or rule (of a device's), null where there are several. */
  only: nullable(text),
  severity: oneOf(severities),
  /** When its alerts triggered. */
  newest_at: timestamptz,
  oldest_at: timestamptz,
  /** The alert that triggered last, as an example. */
  newest_uid: text,
  message: text,
  assignees: arrayOf(text),
  unassigned: int4,
};
/** A storm as one row: the alerts of a rule, or of a device. */
interface AlertGroup extends Wire<typeof alertGroupRow> {
  /** How many of its alerts triggered in each of the last 24 hours, the oldest hour first. */
  hours: number[];
  /** The alert itself where it is the only one: nothing is gained by opening a group of one. */
  single: AlertResource | null;
}

const hoursShown = 24;

export interface AlertGroups {
  results: AlertGroup[];
  newest: string | null;
  /** More alerts match than were grouped, or more groups exist than are returned. */
  partial: boolean;
}

/** The alerts of a tab in groups, the worst first, then the newest. The cost is bounded in a storm of any size. */
export async function groupInbox(ctx: Ctx, { tab, by, ...filters }: GroupRequest): Promise<AlertGroups> {
  const silences = await activeSilences(ctx);
  const statuses = listStatuses(tab);
  const key = Prisma.raw(by === "rule" ? "rule_id" : "device_id");
  const name = Prisma.raw(by === "rule" ? "rule_name" : "device_name");
  const other = Prisma.raw(by === "rule" ? "device_name" : "rule_name");
  const branches = statuses.map(
    (
      status,
    ) => Prisma.sql`(select a.uid, a.rule_id, a.device_id, a.severity_rank, a.message, a.occurrence_count, a.triggered_at,
        coalesce(r.name, a.rule_name) as rule_name, coalesce(d.name, a.device_name) as device_name, u.username
      from ${alertTables}
      where a.organization_id = ${ctx.organizationId} and a.status = ${status} ${narrow(ctx, filters, "triggered")} ${tabPredicate(tab, silences)}
      order by a.severity_rank desc, a.triggered_at desc, a.uid desc limit ${alertCeiling})`,
  );
  const rows = await sql(
    { ...alertGroupRow, newest: text, hours_ago: arrayOf(int4), in_hour: arrayOf(int4) },
    Prisma.sql`
    with listed as materialized (${Prisma.join(branches, " union all ")}),
    recent as (select key, array_agg(hours_ago) as hours_ago, array_agg(in_hour) as in_hour from (
        select ${key} as key, greatest(0, floor(extract(epoch from now() - triggered_at) / 3600))::int as hours_ago,
          count(*)::int as in_hour
        from listed where triggered_at > now() - make_interval(hours => ${hoursShown}) group by 1, 2) hourly
      group by key),
    grouped as (select ${key} as key, max(severity_rank) as rank, (array_agg(${name} order by triggered_at desc, uid desc))[1] as name, count(*)::int as count,
      sum(occurrence_count)::int as occurrences, count(distinct device_id)::int as devices, count(distinct rule_id)::int as rules,
      case when min(${other}) = max(${other}) then min(${other}) end as only,
      ${severityOfRank(Prisma.sql`max(severity_rank)`)} as severity,
      max(triggered_at) as newest_at, min(triggered_at) as oldest_at,
      (array_agg(uid order by triggered_at desc, uid desc))[1] as newest_uid,
      (array_agg(message order by triggered_at desc, uid desc))[1] as message,
      coalesce((array_agg(distinct username) filter (where username is not null))[1:3], '{}') as assignees,
      count(*) filter (where username is null)::int as unassigned, max(uid) as newest
      from listed group by ${key}
      order by max(severity_rank) desc, max(triggered_at) desc, max(uid) desc limit ${groupCeiling + 1})
    select key, name, count, occurrences, devices, rules, "only", severity, newest_at, oldest_at, newest_uid, message,
      assignees, unassigned, newest, coalesce(recent.hours_ago, '{}') as hours_ago, coalesce(recent.in_hour, '{}') as in_hour
    from grouped left join recent using (key) order by rank desc, newest_at desc, newest desc`,
  );
  const shown = rows.slice(0, groupCeiling);
  const singles = await readSingles(
    ctx,
    shown.filter(({ count }) => count === 1).map((row) => row.newest_uid),
    silences,
  );
  const seen = rows.reduce((sum, row) => sum + row.count, 0);
  const newest = rows.reduce<string | null>(
    (latest, row) => (latest === null || row.newest > latest ? row.newest : latest),
    null,
  );
  return {
    results: shown.map(({ newest: _, hours_ago: hoursAgo, in_hour: inHour, ...group }) => ({
      ...group,
      hours: spreadHours(hoursAgo, inHour),
      single: group.count === 1 ? (singles.get(group.newest_uid) ?? null) : null,
    })),
    newest,
    partial: rows.length > groupCeiling || seen >= alertCeiling,
  };
}

function spreadHours(hoursAgo: readonly number[], inHour: readonly number[]): number[] {
  const hours = Array.from({ length: hoursShown }, () => 0);
  hoursAgo.forEach((ago, at) => (hours[hoursShown - 1 - ago] = inHour[at] ?? 0));
  return hours;
}

/** Alerts as a list has them, by their uid. */
async function readSingles(
  ctx: Ctx,
  uids: readonly string[],
  silences: readonly ActiveSilence[],
): Promise<Map<string, AlertResource>> {
  if (uids.length === 0) return new Map();
  const rows = await sql(
    alertRow,
    Prisma.sql`select ${alertColumns(silences)} from ${alertTables}
      where a.organization_id = ${ctx.organizationId} and a.uid = any(${[...uids]})`,
  );
  return new Map(rows.map((row) => [row.uid, serializeAlert(row)]));
}

/** So many alerts of one rule are easier to read as one row. */
const stormSize = 3;

/**
 * How a tab is best grouped when nobody chose: by rule where one has three alerts in it. What is resolved is a history,
 * which is read in its order, and the alerts of one rule are one group in any case.
 */
export async function suggestGrouping(ctx: Ctx, { tab, ...filters }: TabFilters): Promise<{ by: "rule" | null }> {
  if (tab === "resolved" || (filters.rule_id !== undefined && !filters.rule_id.includes(","))) return { by: null };
  const silences = await activeSilences(ctx);
  const rows = await sql(
    { rule_id: text },
    Prisma.sql`
    select rule_id from (
      select a.rule_id from ${alertTables}
      where a.organization_id = ${ctx.organizationId} and a.status = any(${[...listStatuses(tab)]})
        ${narrow(ctx, filters, "triggered")} ${tabPredicate(tab, silences)} limit ${alertCeiling}) listed
    group by rule_id having count(*) >= ${stormSize} limit 1`,
  );
  return { by: rows.length > 0 ? "rule" : null };
}

export interface BulkMatchingResult extends BulkResult {
  /** The cursor for the alerts that were not reached; null where none are left. */
  next: string | null;
}

const matchingRow = { uid: text, severity_rank: int2, triggered_at: timestamptz };

/**
 * Applies an action to alerts of a tab that match filters, the worst first. What it does not take out of the tab is not
 * reached again from the cursor on. Throws `invalid("cursor")`.
 */
export async function bulkMatching(
  ctx: Ctx,
  { tab, filters, newest, limit, cursor, ...action }: BulkMatching,
): Promise<BulkMatchingResult> {
  const silences = await activeSilences(ctx);
  const statuses = [...listStatuses(tab)];
  const page = await keysetPage<Wire<typeof matchingRow>>(ctx, {
    name: `bulk-${tab}`,
    filters: [sameWhenRelative(filters), newest],
    page: { limit, cursor },
    order: { columns: ["a.severity_rank", "a.triggered_at", "a.uid"], direction: "desc" },
    key: (row) => [row.severity_rank, isoTime(row.triggered_at), row.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        matchingRow,
        Prisma.sql`
        select a.uid, a.severity_rank, a.triggered_at from ${alertTables}
        where a.organization_id = ${ctx.organizationId} and a.status = any(${statuses}) ${narrow(ctx, filters, "triggered")}
          ${tabPredicate(tab, silences)} ${newest === undefined ? Prisma.empty : Prisma.sql`and a.uid <= ${newest}`} and ${where}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  const uids = page.results.map((row) => row.uid);
  if (uids.length === 0) return { results: [], succeeded: 0, failed: 0, next: null };
  return { ...(await bulkAlerts(ctx, { ...action, uids })), next: page.next };
}
