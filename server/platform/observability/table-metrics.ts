import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { cachedReader, metrics, onScrape } from "@/server/platform/metrics";
import { float8, text } from "@/server/platform/rows";

/** What the tables of the product hold. Those that none names are of the kind `other`. */
export const tableKinds = {
  recordings: ["recordings", "recording_%", "topics", "upload_sessions", "stored_files", "filmstrips", "moment%"],
  series: ["series", "series_packs"],
  signals: ["signal_%"],
  events: ["events", "event_tags"],
  evaluations: ["rule_%", "quiet_evaluations", "live_rule_states"],
  alerts: ["alerts", "alert_%"],
  deliveries: ["notification%", "webhook_%", "agent_%"],
  devices: ["devices", "device_%"],
  metrics: ["metric_%"],
  items: ["items", "item_counts", "sequences", "slice%", "dataset%", "bulk_%"],
  annotation: ["tasks", "task_%", "draft_%", "results", "issue%", "work_%", "model_%", "annotation_imports"],
  audit: ["audit_%", "mcp_%"],
} as const;

const cases = Prisma.join(
  Object.entries(tableKinds).map(
    ([kind, tables]) =>
      Prisma.sql`when name like any(${tables.map((table) => table.replaceAll("_", "\\_"))}) then ${kind}`,
  ),
  " ",
);

/** Sizes are read under a lock that waits for those who change a table. */
const limits = { lockMs: 500, statementMs: 1_500 };

/**
 * What tables take, with their parts, indexes and long values, and what PostgreSQL last counted in them. Reads no table: of a
 * hundred tables it takes milliseconds.
 */
export const readTables = () =>
  transaction({ db: prisma }, async (tx) => {
    await execute(
      tx,
      Prisma.sql`select set_config('lock_timeout', ${String(limits.lockMs)}, true),
      set_config('statement_timeout', ${String(limits.statementMs)}, true)`,
    );
    return query(
      tx,
      { kind: text, bytes: float8, rows: float8, dead: float8, xid_age: float8 },
      Prisma.sql`with tables as (
          select root.relname::text as name, n.nspname,
            pg_total_relation_size(c.oid) as bytes, greatest(s.n_live_tup, c.reltuples::int8, 0) as rows,
            coalesce(s.n_dead_tup, 0) as dead, greatest(age(c.relfrozenxid), age(long.relfrozenxid)) as xid_age
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          join pg_class root on root.oid = coalesce(pg_partition_root(c.oid), c.oid)
          left join pg_class long on long.oid = c.reltoastrelid
          left join pg_stat_all_tables s on s.relid = c.oid
          where c.relkind = 'r' and n.nspname in (current_schema(), 'graphile_worker'))
        select case when nspname = 'graphile_worker' then 'jobs' ${cases} else 'other' end as kind,
          sum(bytes)::float8 as bytes, sum(rows)::float8 as rows, sum(dead)::float8 as dead,
          coalesce(max(xid_age), 0)::float8 as xid_age
        from tables group by 1 order by 1`,
    );
  });

async function read(): Promise<void> {
  const found = await readTables();
  for (const { kind, bytes, rows, dead, xid_age: age } of found) {
    metrics.tableBytes.set({ kind }, bytes);
    metrics.tableRows.set({ kind }, rows);
    metrics.tableDeadRows.set({ kind }, dead);
    metrics.tableXidAge.set({ kind }, age);
  }
}

/** Adds what the tables take to the metrics of this process, once a minute. */
export const observeTables = (): void => onScrape("tables", cachedReader(read, 60_000));
