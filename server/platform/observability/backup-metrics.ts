import { pool } from "@/server/platform/db";
import { cachedReader, metrics, onScrape, resultInTime } from "@/server/platform/metrics";
import { float8, queryRows } from "@/server/platform/rows";

async function readBackups(): Promise<void> {
  const statement =
    "select coalesce(extract(epoch from max(finished_at)), 0)::float8 as at from backups where finished_at is not null";
  const rows = await resultInTime(() => queryRows(pool, { at: float8 }, statement));
  if (rows) metrics.lastBackup.set(rows[0]?.at ?? 0);
}

/** Adds to the metrics when the last complete backup was finished. */
export const observeBackups = (): void => onScrape("backups", cachedReader(readBackups));
