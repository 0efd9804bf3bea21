import { pool } from "@/server/platform/db";

/** What has expired, by a condition that an index carries. */
const expired = {
  audit_windows: "ends_at < now()",
  idempotency_keys: "expires_at <= now()",
  // A day longer than their tokens: until then a row says that its token is not valid any more.
  sessions: "expires_at < now() - interval '1 day'",
  mail_links: "created_at < now() - interval '30 days'",
  // Kept for a while, so that who looks into what was shared finds it.
  recording_shares: "expires_at < now() - interval '90 days'",
  // No screen shows older ones.
  webhook_hours: "hour < now() - interval '8 days'",
  suspects: "updated_at < now() - interval '90 days'",
  deaf_processes: "ended_at < now() - interval '400 days'",
} as const;

/** Deletes the expired rows of a table, `batch` with a statement. Resolves to how many. */
export async function deleteExpired(table: keyof typeof expired, batch = 1_000): Promise<number> {
  const statement = `delete from ${table} where ctid = any(array(
    select ctid from ${table} where ${expired[table]} limit $1::int))`;
  for (let total = 0; ;) {
    const { rowCount } = await pool.query(statement, [batch]);
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < batch) return total;
  }
}
