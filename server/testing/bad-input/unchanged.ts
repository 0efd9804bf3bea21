import { expect } from "vitest";
import { pool } from "@/server/platform/db";
import { flushToolCalls } from "@/server/platform/mcp/tool-calls";
import { flushAccesses } from "@/server/platform/observability/access-log";
import { int4, queryRows, text } from "@/server/platform/rows";

/** What a refused request may change: when its key was last used, and, a moment later, how often it was refused. */
const bookkeeping = new Set(["public.api_keys"]);
const comparedRows: Record<string, string> = {
  "public.audit_entries": "where action <> 'access.refused'",
  "public.audit_windows": "where false",
  "public.mcp_calls": "where outcome <> 'refused'",
};

let statement: string | undefined;

async function snapshotStatement(): Promise<string> {
  const tables = await queryRows(
    pool,
    { name: text },
    `select quote_ident(schemaname) || '.' || quote_ident(relname) as name from pg_stat_user_tables
     where schemaname in ('public', 'graphile_worker') and relname not like '%migrations' order by 1`,
  );
  // A row that is inserted, changed or deleted changes the sum: every version has its own place and transaction.
  const versions = "coalesce(sum(hashtextextended(ctid::text || xmin::text, 0)), 0)::text";
  return tables
    .map(({ name }) => {
      const compared = bookkeeping.has(name) ? "''" : versions;
      return `select '${name}' as name, count(*)::int as rows, ${compared} as versions from ${name} ${comparedRows[name] ?? ""}`;
    })
    .join(" union all ");
}

/** The number of rows of every table, with a hash of their versions. */
async function snapshot(): Promise<Record<string, string>> {
  statement ??= await snapshotStatement();
  const tables = await queryRows(pool, { name: text, rows: int4, versions: text }, statement);
  return Object.fromEntries(tables.map((row) => [row.name, `${row.rows} rows ${row.versions}`]));
}

/** The number of the next transaction that writes; while it stays the same, no row of any table can have changed. */
export async function nextTransaction(): Promise<string> {
  const [row] = await queryRows(pool, { next: text }, "select pg_snapshot_xmax(pg_current_snapshot())::text as next");
  return row?.next ?? "";
}

let last: { at: string; state: Record<string, string> } | undefined;

async function stateAt(at: string): Promise<Record<string, string>> {
  if (last?.at === at) return last.state;
  const state = await snapshot();
  last = { at, state };
  return state;
}

/** Runs requests that must all be refused and expects that they changed no row of any table. */
export async function changingNothing<T>(work: () => Promise<T>): Promise<T> {
  // What earlier requests did is written a moment later.
  await flushAccesses();
  await flushToolCalls();
  const before = await stateAt(await nextTransaction());
  const result = await work();
  // Transactions of other databases of the server count too, so a higher number only means that rows are compared.
  expect(await stateAt(await nextTransaction())).toEqual(before);
  return result;
}
