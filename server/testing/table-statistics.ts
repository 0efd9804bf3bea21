import { pool } from "@/server/platform/db";
import { int8, nullable, queryRows, type Wire } from "@/server/platform/rows";

const statisticsRow = {
  /** Rows that were updated. */
  updates: nullable(int8),
  /** Of them, those whose update wrote to no index. */
  heap_only: nullable(int8),
  /** Pages of the table that were read, from memory or disk, without those of its indexes. */
  pages: nullable(int8),
  /** Pages of its indexes that were read. */
  index_pages: nullable(int8),
};

type TableStatistics = Record<keyof Wire<typeof statisticsRow>, number>;

/** What PostgreSQL counted of a table so far, by the connections of this process. */
export async function readTableStatistics(table: string): Promise<TableStatistics> {
  // Each connection reports its own, when it is asked to.
  const connections = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const connection of connections) await connection.query("select pg_stat_force_next_flush()");
  for (const connection of connections) connection.release();
  const [row] = await queryRows(
    pool,
    statisticsRow,
    `select t.n_tup_upd as updates, t.n_tup_hot_upd as heap_only, io.heap_blks_read + io.heap_blks_hit as pages,
       io.idx_blks_read + io.idx_blks_hit as index_pages
     from pg_stat_user_tables t join pg_statio_user_tables io using (relid) where t.relname = $1`,
    [table],
  );
  if (!row) throw new Error(`there is no table ${table}`);
  const { updates, heap_only, pages, index_pages } = row;
  return {
    updates: Number(updates),
    heap_only: Number(heap_only),
    pages: Number(pages),
    index_pages: Number(index_pages),
  };
}
