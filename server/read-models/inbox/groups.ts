import type { BulkMatching, GroupRequest, TabFilters } from "@/domain/alerts/inbox-schema";
import { severities } from "@/domain/severity";
import { alertTables } from "@/server/features/alerts/alert-queries";
import type { BulkResult } from "@/server/features/alerts/resource";
import { narrow } from "@/server/features/alerts/service";
import { bulkAlerts } from "@/server/features/alerts/triage-service";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { arrayOf, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { listStatuses, tabPredicate } from "@/server/read-models/inbox/inbox";

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
type AlertGroup = Wire<typeof alertGroupRow>;

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
    { ...alertGroupRow, newest: text },
    Prisma.sql`
    select ${key} as key, (array_agg(${name} order by triggered_at desc, uid desc))[1] as name, count(*)::int as count,
      sum(occurrence_count)::int as occurrences, count(distinct device_id)::int as devices, count(distinct rule_id)::int as rules,
      case when min(${other}) = max(${other}) then min(${other}) end as only,
      ${severityOfRank(Prisma.sql`max(severity_rank)`)} as severity,
      max(triggered_at) as newest_at, min(triggered_at) as oldest_at,
      (array_agg(uid order by triggered_at desc, uid desc))[1] as newest_uid,
      (array_agg(message order by triggered_at desc, uid desc))[1] as message,
      coalesce((array_agg(distinct username) filter (where username is not null))[1:3], '{}') as assignees,
      count(*) filter (where username is null)::int as unassigned, max(uid) as newest
    from (${Prisma.join(branches, " union all ")}) listed
    group by ${key} order by max(severity_rank) desc, max(triggered_at) desc, max(uid) desc limit ${groupCeiling + 1}`,
  );
  const seen = rows.reduce((sum, row) => sum + row.count, 0);
  const newest = rows.reduce<string | null>(
    (latest, row) => (latest === null || row.newest > latest ? row.newest : latest),
    null,
  );
  return {
    results: rows.slice(0, groupCeiling).map(({ newest: _, ...group }) => group),
    newest,
    partial: rows.length > groupCeiling || seen >= alertCeiling,
  };
}

/** More alerts of one rule than this are easier to read as one row. */
const stormSize = 20;

/**
 * How a tab is best grouped when nobody chose: by rule where one has more than 20 alerts in it. What is resolved is a
 * history, which is read in its order, and the alerts of one rule are one group in any case.
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
    group by rule_id having count(*) > ${stormSize} limit 1`,
  );
  return { by: rows.length > 0 ? "rule" : null };
}

/** The maximum of alerts that one action by filter changes. */
const maxMatching = 1_000;

export interface BulkMatchingResult extends BulkResult {
  /** More alerts match than one action changes; repeat it for the rest. */
  more: boolean;
}

/** Applies an action to each alert of a tab that matches filters, the worst first; at most 1,000 per call. */
export async function bulkMatching(
  ctx: Ctx,
  { tab, filters, newest, ...action }: BulkMatching,
): Promise<BulkMatchingResult> {
  const silences = await activeSilences(ctx);
  const statuses = [...listStatuses(tab)];
  const rows = await sql(
    { uid: text },
    Prisma.sql`
    select a.uid from ${alertTables}
    where a.organization_id = ${ctx.organizationId} and a.status = any(${statuses}) ${narrow(ctx, filters, "triggered")}
      ${tabPredicate(tab, silences)} ${newest === undefined ? Prisma.empty : Prisma.sql`and a.uid <= ${newest}`}
    order by a.severity_rank desc, a.triggered_at desc, a.uid desc limit ${maxMatching + 1}`,
  );
  const uids = rows.slice(0, maxMatching).map((row) => row.uid);
  const more = rows.length > maxMatching;
  if (uids.length === 0) return { results: [], succeeded: 0, failed: 0, more };
  return { ...(await bulkAlerts(ctx, { ...action, uids })), more };
}
