import type pg from "pg";
import pino from "pino";
import { beforeEach, expect, inject, test } from "vitest";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { readMigrations } from "@/server/platform/database/migration-files";
import { onServer, scratchDatabase } from "@/server/testing/database";

const log = pino({ level: "silent" });
/** The last migration of each state from which installations are upgraded. */
const states = [
  "0012_sweeps",
  "0013_fair_notifications",
  "0022_annotation_bytes",
  "0030_recording_ordering",
  "0081_health",
];

let url: string;
beforeEach(async () => {
  url = await scratchDatabase(inject("testRun"));
});

/** A literal of each type. All texts are equal, so that every reference finds its row. */
const literals: Readonly<Record<string, string>> = {
  text: "'x'",
  varchar: "'x'",
  uuid: "'01a203bd-0525-73ee-a6b2-0d7b38e8805e'",
  int2: "1",
  int4: "1",
  int8: "1",
  float8: "1.5",
  numeric: "1",
  bool: "true",
  timestamptz: "'2026-01-02T03:04:05.678Z'",
  json: `'{"a": 1}'`,
  jsonb: `'{"a": 1}'`,
  bytea: "'\\x01'",
  inet: "'192.0.2.1'",
  date: "'2026-01-02'",
};
function toLiteral(type: string): string {
  const literal = type.startsWith("_") ? "'{}'" : literals[type];
  if (literal === undefined) throw new Error(`there is no literal of type ${type}`);
  return literal;
}

interface TableColumns {
  table: string;
  columns: { name: string; type: string }[];
}

/** Every table with the columns that can be written. */
async function listTables(client: pg.Client): Promise<TableColumns[]> {
  const { rows } = await client.query<TableColumns>(`
    select table_name as table, json_agg(json_build_object('name', column_name, 'type', udt_name)) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    join pg_class c on c.relnamespace = 'public'::regnamespace and c.relname = table_name and not c.relispartition
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER' and is_identity = 'NO'
      and table_name <> '_prisma_migrations' group by table_name order by table_name`);
  return rows;
}

async function fill(client: pg.Client, { table, columns }: TableColumns): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const values = columns.map(({ type }) => toLiteral(type)).join(", ");
  await client.query(`insert into "${table}" (${names}) values (${values})`);
}

const readRow = async (client: pg.Client, table: string): Promise<Record<string, unknown> | undefined> =>
  (await client.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from "${table}" t`)).rows[0]?.row;

test.each(states)("a database of the state %s keeps every row when it is migrated", async (state) => {
  const all = readMigrations();
  const end = all.findIndex(({ name }) => name === state) + 1;
  expect(end).toBeGreaterThan(0);
  await migrateDatabase(url, log, all.slice(0, end));
  const before = await onServer(url, async (client) => {
    await client.query("set session_replication_role = replica"); // tables are filled in any order
    const points = "select 1 from pg_proc where proname = 'make_metric_parts'";
    if ((await client.query(points)).rowCount)
      await client.query("select make_metric_parts('2026-01-02', '2026-01-02')");
    const rows = new Map<string, Record<string, unknown>>();
    for (const table of await listTables(client)) {
      await fill(client, table);
      rows.set(table.table, (await readRow(client, table.table)) ?? {});
    }
    return rows;
  });
  expect(before.size).toBeGreaterThan(40);
  expect(await migrateDatabase(url, log, all)).toEqual(all.slice(end).map(({ name }) => name));
  await onServer(url, async (client) => {
    for (const [table, row] of before) expect([table, await readRow(client, table)]).toMatchObject([table, row]);
  });
});
