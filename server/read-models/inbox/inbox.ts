import type { InboxFilters, InboxRequest } from "@/domain/alerts/inbox-schema";
import { unresolvedStatuses, type AlertStatus, type InboxTab } from "@/domain/alerts/lifecycle";
import type { ShownRows } from "@/domain/demo/schema";
import { severities, type Severity } from "@/domain/severity";
import { isoTime } from "@/domain/wire-values";
import { alertColumns, alertTables, alertRow } from "@/server/features/alerts/alert-queries";
import { serializeAlert, type AlertResource, type AlertRow } from "@/server/features/alerts/resource";
import { narrow } from "@/server/features/alerts/service";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { activeSilences, silencedPredicate, type ActiveSilence } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page, type PageRequest, type Window } from "@/server/platform/pagination";
import { int2, int4, nullable, text } from "@/server/platform/rows";

export interface InboxPage extends Page<AlertResource> {
  /** The newest alert of the organization when the page was read; alerts with a later uid arrived since. */
  newest: string | null;
}

/** The statuses of the alerts in a tab. */
export const listStatuses = (tab: InboxTab): readonly AlertStatus[] =>
  tab === "silenced" ? unresolvedStatuses : [tab];

/** `and …`: the condition of a tab besides its statuses. Silenced and snoozed alerts are in the Silenced tab only. */
export function tabPredicate(tab: InboxTab, silences: readonly ActiveSilence[]): Prisma.Sql {
  if (tab === "resolved") return Prisma.empty;
  const away = Prisma.sql`(a.snoozed_until is not null or ${silencedPredicate(silences)})`;
  return tab === "silenced" ? Prisma.sql`and ${away}` : Prisma.sql`and not ${away}`;
}

const timeKey = (alert: RankedRow) => [isoTime(alert.triggered_at), alert.uid];
const rowKey = (alert: RankedRow) => [alert.severity_rank, ...timeKey(alert)];
type RankedRow = AlertRow & { severity_rank: number };

/** The parts of a list that are each one index range, in the list's order. */
interface Ranges {
  name: string;
  columns: readonly string[];
  parts: readonly Prisma.Sql[];
}

const byTime = ["a.triggered_at", "a.uid"];
const byRank = { columns: ["a.severity_rank", ...byTime] };

/** In the open tab, the caller's own and unassigned alerts come first: two segments, one after the other. */
function listSegments(ctx: Ctx, { tab, order }: InboxRequest): Ranges[] {
  const status = (each: string) => Prisma.sql`a.status = ${each}`;
  if (order === "newest") {
    const parts = listStatuses(tab).flatMap((each) =>
      severities.map((_, rank) => Prisma.sql`${status(each)} and a.severity_rank = ${rank}`),
    );
    return [{ name: "newest", columns: byTime, parts }];
  }
  const me = ctx.actor.userId;
  if (tab !== "open" || me === null) return [{ name: "all", ...byRank, parts: listStatuses(tab).map(status) }];
  return [
    {
      name: "mine",
      ...byRank,
      parts: [
        Prisma.sql`a.status = 'open' and a.assignee_id = ${me}`,
        Prisma.sql`a.status = 'open' and a.assignee_id is null`,
      ],
    },
    {
      name: "others",
      ...byRank,
      parts: [Prisma.sql`a.status = 'open' and a.assignee_id is not null and a.assignee_id <> ${me}`],
    },
  ];
}

/** Reads a range of each part and merges them; the cost is at most `limit` index rows for each part. */
function rangesStatement(
  ctx: Ctx,
  parts: readonly Prisma.Sql[],
  more: Prisma.Sql,
  silences: readonly ActiveSilence[],
  { where, orderBy, limit }: Window,
): Prisma.Sql {
  const branches = parts.map(
    (part) => Prisma.sql`(select a.uid, a.severity_rank, a.triggered_at from ${alertTables}
      where a.organization_id = ${ctx.organizationId} and ${part} and ${where} ${more} order by ${orderBy} limit ${limit})`,
  );
  return Prisma.sql`
    select ${alertColumns(silences)}, a.severity_rank from ${alertTables}
    where a.uid in (select a.uid from (${Prisma.join(branches, " union all ")}) a order by ${orderBy} limit ${limit})
      and a.organization_id = ${ctx.organizationId}
    order by ${orderBy}`;
}

/** A cursor starts with the index of its segment: `1.…`. Nothing follows the dot for a segment that has not started. */
function readCursor(cursor: string | undefined, segments: number): { at: number; rest: string | undefined } {
  const dot = cursor?.indexOf(".") ?? -1;
  const at = Number(cursor?.slice(0, dot));
  if (cursor === undefined || dot < 1 || !Number.isInteger(at) || at < 0 || at >= segments)
    return { at: 0, rest: cursor };
  return { at, rest: cursor.slice(dot + 1) || undefined };
}

/** A tab of the inbox; see `InboxRequest` for its order. Throws `invalid("cursor")`. */
export async function listInbox(ctx: Ctx, request: InboxRequest): Promise<InboxPage> {
  const { limit, cursor, tab, order, ...filters } = request;
  const [silences, newest] = await Promise.all([activeSilences(ctx), newestAlert(ctx)]);
  const more = Prisma.sql`${narrow(ctx, filters, "triggered")} ${tabPredicate(tab, silences)}`;
  const segments = listSegments(ctx, request);
  const read = ({ name, columns, parts }: Ranges, page: PageRequest) =>
    keysetPage<RankedRow>(ctx, {
      name: `inbox-${tab}-${name}`,
      filters: sameWhenRelative(filters),
      page,
      order: { columns, direction: "desc" },
      key: order === "newest" ? timeKey : rowKey,
      fetch: (window) => sql({ ...alertRow, severity_rank: int2 }, rangesStatement(ctx, parts, more, silences, window)),
    });

  const rows: RankedRow[] = [];
  let { at, rest } = readCursor(cursor, segments.length);
  let next: string | null = null;
  for (; at < segments.length; at++, rest = undefined) {
    const segment = segments[at];
    if (!segment) break;
    // When the page is full, one row shows whether there is a next page.
    const room = limit - rows.length;
    const page = await read(segment, { limit: Math.max(1, room), cursor: rest });
    if (room === 0) {
      if (page.results.length > 0) next = `${at}.`;
    } else rows.push(...page.results);
    if (room > 0 && page.next !== null) next = `${at}.${page.next}`;
    if (next !== null) break;
  }
  const results = rows.map(({ severity_rank: _, ...row }) => serializeAlert(row));
  return { results, next, previous: null, newest };
}

/** Omits relative times from the cursor's filters: they change between pages, and the cursor must stay valid. */
export const sameWhenRelative = ({ since: _, until: __, ...filters }: InboxFilters) => filters;

async function newestAlert(ctx: Ctx): Promise<string | null> {
  const [row] = await sql(
    { uid: text },
    Prisma.sql`select uid from alerts where organization_id = ${ctx.organizationId} order by uid desc limit 1`,
  );
  return row?.uid ?? null;
}

/** The number of open alerts neither silenced nor snoozed and their highest severity, for the navigation. */
export async function openBadge(ctx: Ctx, { demo }: ShownRows): Promise<OpenBadge> {
  const silences = await activeSilences(ctx);
  const [row] = await sql(
    { count: int4, worst: nullable(int4) },
    Prisma.sql`
    select count(*)::int as count, max(severity_rank)::int as worst from (
      select a.severity_rank from alerts a
      where a.organization_id = ${ctx.organizationId} and a.status = 'open' ${tabPredicate("open", silences)}
        ${demoFilter("a", demo)}
      order by a.severity_rank desc limit ${badgeCeiling}) open`,
  );
  const worst = severities[row?.worst ?? -1] ?? null;
  return { count: row?.count ?? 0, worst, ceiling: badgeCeiling };
}

const badgeCeiling = 1_000;

export interface OpenBadge {
  count: number;
  worst: Severity | null;
  ceiling: number;
}
