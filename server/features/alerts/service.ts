import { z } from "zod";
import { alertStatuses, unresolvedStatuses } from "@/domain/alerts/lifecycle";
import type { AlertCountFilters, AlertFilters } from "@/domain/alerts/schema";
import { severities, severityRank, type Severity } from "@/domain/severity";
import { isUuid } from "@/domain/uid";
import { alertColumns, alertTables, readAlert, alertRow } from "@/server/features/alerts/alert-queries";
import {
  serializeAlert,
  type AlertCounts,
  type AlertDetail,
  type AlertResource,
  type AlertRow,
} from "@/server/features/alerts/resource";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { activeSilences, silencedPredicate, type ActiveSilence } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, json } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

/** Counting stops here: a badge needs no more, and counting millions of rows is expensive. */
const countCeiling = 10_000;

const containing = (text: string): string => `%${likeText(text)}%`;
const list = (text: string | undefined): string[] | null => text?.split(",").filter((part) => part !== "") ?? null;
const isOne = (column: string, values: readonly string[] | readonly number[] | null): Prisma.Sql =>
  values === null ? Prisma.empty : Prisma.sql`and ${Prisma.raw(column)} = any(${[...values]})`;

function assigneeFilter(ctx: Ctx, assignees: string[] | undefined): Prisma.Sql {
  if (!assignees?.length) return Prisma.empty;
  const named = assignees.filter((name) => name !== "none" && name !== "me");
  const uids = [...named.filter(isUuid), ...(assignees.includes("me") && ctx.actor.userId ? [ctx.actor.userId] : [])];
  return Prisma.sql`and (a.assignee_id = any(${uids}) or u.username = any(${named})
    ${assignees.includes("none") ? Prisma.sql`or a.assignee_id is null` : Prisma.empty})`;
}

/** What `since` and `until` mean: when an alert was opened, as in the API, or when it triggered, as in the inbox. */
type AlertClock = "created" | "triggered";

function sinceAndUntil({ since, until }: AlertCountFilters, clock: AlertClock): Prisma.Sql {
  if (clock === "triggered")
    return Prisma.sql`${since ? Prisma.sql`and a.triggered_at >= ${since}` : Prisma.empty}
      ${until ? Prisma.sql`and a.triggered_at < ${until}` : Prisma.empty}`;
  return Prisma.sql`${since ? Prisma.sql`and a.uid >= ${uidFloor("alert", since.getTime())}` : Prisma.empty}
    ${until ? Prisma.sql`and a.uid < ${uidFloor("alert", until.getTime())}` : Prisma.empty}`;
}

/** SQL `and …` for each given filter, for statements over `alertTables`. Unknown or malformed uids match nothing. */
export function narrow(ctx: Ctx, filters: AlertCountFilters, clock: AlertClock = "created"): Prisma.Sql {
  const { channel_id: channelId, demo } = filters;
  const q = filters.q?.trim();
  return Prisma.sql`
    ${isOne("a.device_id", list(filters.device_id))} ${isOne("a.recording_id", list(filters.recording_id))}
    ${isOne("a.rule_id", list(filters.rule_id))} ${isOne("a.severity_rank", filters.severity?.map(severityRank) ?? null)}
    ${sinceAndUntil(filters, clock)}
    ${
      channelId === undefined
        ? Prisma.empty
        : Prisma.sql`and exists (select 1 from notifications n where n.alert_id = a.uid and n.channel_id = any(${list(channelId)})
            and n.event = 'alert.triggered' and n.status <> 'canceled')`
    }
    ${assigneeFilter(ctx, filters.assignee)}
    ${demoFilter("a", demo)}
    ${
      q
        ? Prisma.sql`and (a.message ilike ${containing(q)} or coalesce(r.name, a.rule_name) ilike ${containing(q)}
            or coalesce(d.name, a.device_name) ilike ${containing(q)} or starts_with(a.uid, ${q}))`
        : Prisma.empty
    }`;
}

const silenced = (silences: readonly ActiveSilence[]): Prisma.Sql =>
  Prisma.sql`(a.status <> 'resolved' and ${silencedPredicate(silences)})`;

/** Alerts, newest first, without their evidence. The few of a severity are found by an index that begins with the status. */
export async function listAlerts(ctx: Ctx, filters: AlertFilters): Promise<Page<AlertResource>> {
  const { limit, cursor, ...rest } = filters;
  const silences = await activeSilences(ctx);
  const page = await keysetPage<AlertRow>(ctx, {
    name: "alerts",
    filters: rest,
    page: { limit, cursor },
    order: { columns: ["a.uid"], direction: "desc" },
    key: (alert) => [alert.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        alertRow,
        Prisma.sql`
        select ${alertColumns(silences)} from ${alertTables}
        where a.organization_id = ${ctx.organizationId} and ${where} ${narrow(ctx, rest)}
        ${isOne("a.status", rest.status ?? (rest.severity ? alertStatuses : null))}
        ${rest.silenced === undefined ? Prisma.empty : Prisma.sql`and ${silenced(silences)} = ${rest.silenced}`}
        ${rest.snoozed === undefined ? Prisma.empty : Prisma.sql`and (a.snoozed_until is not null) = ${rest.snoozed}`}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: page.results.map(serializeAlert) };
}

/** One alert with its evidence. Throws `not_found`. */
export const getAlert = (ctx: Ctx, uid: string): Promise<AlertDetail> => readAlert(ctx, uid);

const countOpen = (severity: Severity) => Prisma.sql`
  ${severity}::text, count(*) filter (where shown and status = 'open' and severity = ${severity})`;

const liveCountsRow = {
  open: int4,
  acknowledged: int4,
  silenced: int4,
  snoozed: int4,
  open_by_severity: json(z.record(z.enum(severities), z.number())),
};

/** How many alerts each tab of the inbox contains. Silenced and snoozed alerts count in their own tab only. */
export async function countAlerts(ctx: Ctx, filters: AlertCountFilters, clock?: AlertClock): Promise<AlertCounts> {
  const silences = await activeSilences(ctx);
  const from = (statuses: string[]) => Prisma.sql`
    from ${alertTables} where a.organization_id = ${ctx.organizationId} and a.status = any(${statuses})
    ${narrow(ctx, filters, clock)} limit ${countCeiling}`;
  const [[live], [past]] = await Promise.all([
    sql(
      liveCountsRow,
      Prisma.sql`
      select count(*) filter (where shown and status = 'open')::int as open,
        count(*) filter (where shown and status = 'acknowledged')::int as acknowledged,
        count(*) filter (where silenced)::int as silenced,
        count(*) filter (where snoozed and not silenced)::int as snoozed,
        json_build_object(${Prisma.join(severities.map(countOpen))}) as open_by_severity
      from (select *, not silenced and not snoozed as shown from (
        select a.status, a.severity, ${silencedPredicate(silences)} as silenced, a.snoozed_until is not null as snoozed
        ${from([...unresolvedStatuses])}) listed) counted`,
    ),
    sql({ resolved: int4 }, Prisma.sql`select count(*)::int as resolved from (select 1 ${from(["resolved"])}) counted`),
  ]);
  const none = {
    open: 0,
    acknowledged: 0,
    silenced: 0,
    snoozed: 0,
    open_by_severity: { info: 0, warning: 0, error: 0, critical: 0 },
  };
  return { ...(live ?? none), resolved: past?.resolved ?? 0, ceiling: countCeiling };
}
