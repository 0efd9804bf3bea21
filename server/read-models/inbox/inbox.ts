import type { InboxFilters, InboxRequest } from "@/domain/alerts/inbox-schema";
import { unresolvedStatuses, type AlertStatus, type InboxTab } from "@/domain/alerts/lifecycle";
import { severities, type Severity } from "@/domain/severity";
import { alertColumns, alertTables, alertRow } from "@/server/features/alerts/alert-queries";
import { serializeAlert, type AlertResource, type AlertRow } from "@/server/features/alerts/resource";
import { narrow } from "@/server/features/alerts/service";
import { activeSilences, silencedPredicate, type ActiveSilence } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page, type PageRequest, type Window } from "@/server/platform/pagination";
import { int2, int4, nullable, text } from "@/server/platform/rows";

export interface InboxPage extends Page<AlertResource> {
  /** The newest alert of the organization when the page was read: what has a later uid arrived since. */
  newest: string | null;
}

/** What a tab holds has one of these statuses. */
export const listStatuses = (tab: InboxTab): readonly AlertStatus[] =>
  tab === "silenced" ? unresolvedStatuses : [tab];

/**
 * `and …` that leaves what a tab holds beside its statuses: what is muted or asleep is in Silenced and nowhere else.
 */
export function tabPredicate(tab: InboxTab, silences: readonly ActiveSilence[]): Prisma.Sql {
  if (tab === "resolved") return Prisma.empty;
  const away = Prisma.sql`(a.snoozed_until is not null or ${silencedPredicate(silences)})`;
  return tab === "silenced" ? Prisma.sql`and ${away}` : Prisma.sql`and not ${away}`;
}

const rowKey = (alert: RankedRow) => [alert.severity_rank, alert.uid];
type RankedRow = AlertRow & { severity_rank: number };

/** The parts of a list that each are one range of an index, in the list's order. */
interface Ranges {
  name: string;
  columns: readonly string[];
  parts: readonly Prisma.Sql[];
}

const byRank = { columns: ["a.severity_rank", "a.uid"] };

/** Of the open ones the caller's and nobody's come first: two lists, one after the other. */
function listSegments(ctx: Ctx, { tab, order }: InboxRequest): Ranges[] {
  const status = (each: string) => Prisma.sql`a.status = ${each}`;
  if (order === "newest") {
    const parts = listStatuses(tab).flatMap((each) =>
      severities.map((_, rank) => Prisma.sql`${status(each)} and a.severity_rank = ${rank}`),
    );
    return [{ name: "newest", columns: ["a.uid"], parts }];
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

/** Reads a range of each part and merges them: as many rows of an index as there are parts and rows asked for. */
function rangesStatement(
  ctx: Ctx,
  parts: readonly Prisma.Sql[],
  more: Prisma.Sql,
  silences: readonly ActiveSilence[],
  { where, orderBy, limit }: Window,
): Prisma.Sql {
  const branches = parts.map(
    (part) => Prisma.sql`(select a.uid, a.severity_rank from ${alertTables}
      where a.organization_id = ${ctx.organizationId} and ${part} and ${where} ${more} order by ${orderBy} limit ${limit})`,
  );
  return Prisma.sql`
    select ${alertColumns(silences)}, a.severity_rank from ${alertTables}
    where a.uid in (select a.uid from (${Prisma.join(branches, " union all ")}) a order by ${orderBy} limit ${limit})
      and a.organization_id = ${ctx.organizationId}
    order by ${orderBy}`;
}

/** A cursor names its segment in front: `1.…`. A segment that has not begun has nothing behind the dot. */
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
  const more = Prisma.sql`${narrow(ctx, filters)} ${tabPredicate(tab, silences)}`;
  const segments = listSegments(ctx, request);
  const read = ({ name, columns, parts }: Ranges, page: PageRequest) =>
    keysetPage<RankedRow>(ctx, {
      name: `inbox-${tab}-${name}`,
      filters: sameWhenRelative(filters),
      page,
      order: { columns, direction: "desc" },
      key: order === "newest" ? (alert) => [alert.uid] : rowKey,
      fetch: (window) => sql({ ...alertRow, severity_rank: int2 }, rangesStatement(ctx, parts, more, silences, window)),
    });

  const rows: RankedRow[] = [];
  let { at, rest } = readCursor(cursor, segments.length);
  let next: string | null = null;
  for (; at < segments.length; at++, rest = undefined) {
    const segment = segments[at];
    if (!segment) break;
    // With no room left, one row tells whether there is anything to go on with.
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

/** Relative times are other times a moment later; a cursor of the page before must still hold. */
const sameWhenRelative = ({ since: _, until: __, ...filters }: InboxFilters) => filters;

async function newestAlert(ctx: Ctx): Promise<string | null> {
  const [row] = await sql(
    { uid: text },
    Prisma.sql`select uid from alerts where organization_id = ${ctx.organizationId} order by uid desc limit 1`,
  );
  return row?.uid ?? null;
}

/**
 * How many alerts are open and neither silenced nor snoozed, and the worst of them: the figure of the rail. Those of
 * the demo fleet count only where the organization has no device of its own.
 */
export async function openBadge(ctx: Ctx): Promise<OpenBadge> {
  const silences = await activeSilences(ctx);
  const [row] = await sql(
    { count: int4, worst: nullable(int4) },
    Prisma.sql`
    select count(*)::int as count, max(severity_rank)::int as worst from (
      select a.severity_rank from alerts a
      where a.organization_id = ${ctx.organizationId} and a.status = 'open' ${tabPredicate("open", silences)}
        and (not a.demo or not exists (select 1 from devices own where own.organization_id = ${ctx.organizationId} and not own.demo))
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
