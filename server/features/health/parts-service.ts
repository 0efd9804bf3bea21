import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { cachedReader, metrics, onScrape, resultInTime } from "@/server/platform/metrics";
import { int4, nullable, text, timestamptz } from "@/server/platform/rows";

/** The tables with parts by time; the name of a part is that of its table with its begin. */
export const partedTables = ["metric_points", "metric_changes", "metric_rollups_5m", "metric_rollups_1h"] as const;
export type PartedTable = (typeof partedTables)[number];

/** Days before and after now for which there are parts: points come up to 7 days late. */
export const partDays = { back: 8, ahead: 14 } as const;

/** A part, and the times that its rows may have. */
export interface TablePart {
  table: PartedTable;
  name: string;
  since: Date;
  until: Date;
}

const isParted = (name: string): name is PartedTable => partedTables.some((table) => table === name);

/** All parts, the oldest of each table first. */
export async function listParts(): Promise<TablePart[]> {
  const rows = await query(
    { db: prisma },
    { parent: text, name: text, since: nullable(timestamptz), until: nullable(timestamptz) },
    Prisma.sql`select parent, name, (regexp_match(bounds, 'FROM \\(''([^'']+)''\\)'))[1]::timestamptz as since,
        (regexp_match(bounds, 'TO \\(''([^'']+)''\\)'))[1]::timestamptz as until
      from (select p.relname::text as parent, c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bounds
        from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relnamespace = 'public'::regnamespace and p.relname = any(${[...partedTables]}::text[])) b
      order by parent, since`,
  );
  return rows.flatMap(({ parent, name, since, until }) =>
    isParted(parent) && since && until ? [{ table: parent, name, since, until }] : [],
  );
}

/**
 * Makes the parts that are missing from 8 days ago to 14 days ahead. Resolves to how many. It does not wait for those who
 * write; it throws when it waits for others that change these tables, and is tried again.
 */
export const makeParts = (): Promise<number> =>
  transaction({ db: prisma }, async (tx) => {
    await execute(tx, Prisma.sql`set local lock_timeout = '2s'`);
    const [row] = await query(
      tx,
      { made: nullable(int4) },
      Prisma.sql`select make_metric_parts(now() - make_interval(days => ${partDays.back}::int),
        now() + make_interval(days => ${partDays.ahead}::int)) as made`,
    );
    return row?.made ?? 0;
  });

/** For how many days from now every table has parts without a gap; at least the 14 days ahead where the job runs. */
export async function countDaysAhead(): Promise<number> {
  const [clock] = await query({ db: prisma }, { now: timestamptz }, Prisma.sql`select now()::timestamptz(3) as now`);
  if (!clock) throw new Error("the database has no time");
  const parts = await listParts();
  const ends = partedTables.map((table) =>
    parts
      .filter((part) => part.table === table)
      .reduce((end, { since, until }) => (since <= end && until > end ? until : end), clock.now),
  );
  return (Math.min(...ends.map(Number)) - clock.now.getTime()) / 86_400_000;
}

async function readDaysAhead(): Promise<void> {
  const days = await resultInTime(countDaysAhead);
  if (days !== null) metrics.metricPartDays.set(days);
}

/** Adds how far ahead there are parts to the metrics of this process. */
export const observeParts = (): void => onScrape("parts", cachedReader(readDaysAhead));
