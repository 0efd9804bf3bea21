import { expect, test } from "vitest";
import { pool } from "@/server/platform/db";
import { readTables, tableKinds } from "@/server/platform/observability/table-metrics";
import { float8, queryRows, text } from "@/server/platform/rows";

test("tables are summed by what they hold, with their parts, indexes and long values", async () => {
  const found = new Map((await readTables()).map(({ kind, ...sizes }) => [kind, sizes]));
  const [expected] = await queryRows(
    pool,
    { metrics: float8, alerts: float8 },
    `select (select sum(pg_total_relation_size(oid)) from pg_class
         where relname like 'metric\\_%' and relkind = 'r' and relnamespace = current_schema()::regnamespace)::float8 as metrics,
       (pg_total_relation_size('alerts') + pg_total_relation_size('alert_comments')
         + pg_total_relation_size('alert_captures'))::float8 as alerts`,
  );
  expect(found.get("alerts")?.bytes).toBe(expected?.alerts);
  // The parts of the tables of metrics have their own names.
  expect(found.get("metrics")?.bytes).toBe(expected?.metrics);
  expect(found.size).toBeLessThan(20);
  for (const { rows, dead, xid_age: age } of found.values()) {
    expect(Math.min(rows, dead)).toBeGreaterThanOrEqual(0);
    expect(age).toBeGreaterThan(0);
  }
});

test("every table whose rows grow with what is recorded has a kind; the others are few, or short-lived", async () => {
  const patterns = Object.values(tableKinds).flatMap((tables) => tables.map((table) => table.replaceAll("_", "\\_")));
  const others = await queryRows(
    pool,
    { name: text },
    `select relname::text as name from pg_class where relkind in ('r', 'p') and not relispartition
       and relnamespace = current_schema()::regnamespace and not relname like any($1) order by relname`,
    [patterns],
  );
  expect(others.map(({ name }) => name)).toEqual(
    [
      "_prisma_migrations agents api_keys backups channels deaf_processes exports idempotency_keys",
      "identities installation invitations layout_uses layouts mail_links memberships message_definitions",
      "models name_claims operator_retention organizations project_datasets project_members project_people",
      "project_slices projects query_turns rate_limits recovery_codes releases retention_runs",
      "robot_descriptions rules saved_queries saved_views second_factors sessions silences storage_configs",
      "storage_tests suspects users worker_heartbeats",
    ].flatMap((line) => line.split(" ")),
  );
});

test("a table that is locked makes the reading fail, and not wait", async () => {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("lock table mail_links in access exclusive mode");
    await expect(readTables()).rejects.toThrow("lock timeout");
  } finally {
    await client.query("rollback");
    client.release();
  }
});
