import pg from "pg";
import pino from "pino";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { advanceSequences, dropEverything, isInUse, listMigrations, readState, listTables } from "@/cli/db/tables";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { readMigrations } from "@/server/platform/database/migration-files";
import { scratchDatabase } from "@/server/testing/database";

let url: string;
let client: pg.Client;
beforeAll(async () => {
  url = await scratchDatabase(inject("testRun"));
  client = new pg.Client({ connectionString: url });
  await client.connect();
});
afterAll(() => client.end());

test("a database is bare, empty or filled, and bare again once everything is dropped", async () => {
  expect([await readState(client), await isInUse(client)]).toEqual(["bare", false]);
  await client.query("create table theirs (id int)");
  expect(await readState(client)).toBe("filled");
  await client.query("drop table theirs");

  await migrateDatabase(url, pino({ level: "silent" }));
  const { names, queue } = await listMigrations(client);
  expect(names).toEqual(readMigrations().map(({ name }) => name));
  expect(queue).toBeGreaterThan(0);
  // Rows that migrations insert are the only content.
  await client.query("delete from models; delete from metric_progress");
  expect(await readState(client)).toBe("empty");

  await client.query("insert into worker_heartbeats (pool_id, seen_at) values ('a-pool', now())");
  expect([await readState(client), await isInUse(client)]).toEqual(["empty", true]);
  await client.query("insert into organizations (uid, name, slug, updated_at) values ('o', 'O', 'o', now())");
  expect(await readState(client)).toBe("filled");
  await client.query("delete from organizations");
  expect(await readState(client)).toBe("empty");
  // A row in one of many parts.
  await client.query("insert into metric_points values (1, now(), 1, '{1}')");
  expect(await readState(client)).toBe("filled");

  await dropEverything(client);
  expect(await readState(client)).toBe("bare");
});

test("rows inserted with explicit numbers do not collide with new ones", async () => {
  await migrateDatabase(url, pino({ level: "silent" }));
  const jobs = (await listTables(client)).find(({ key }) => key.endsWith("_jobs"));
  const add = async () => (await client.query("select (graphile_worker.add_job('sent')).id::int")).rows;
  expect([await add(), await add()]).toEqual([[{ id: 1 }], [{ id: 2 }]]);
  await client.query("select setval(pg_get_serial_sequence($1, 'id'), 1, false)", [jobs?.name]);
  await advanceSequences(client);
  expect(await add()).toEqual([{ id: 3 }]);
});

test("tables are listed after those they reference, with their columns that are not generated", async () => {
  await migrateDatabase(url, pino({ level: "silent" }));
  const tables = await listTables(client);
  const keys = tables.map(({ key }) => key);
  expect(keys.indexOf("public.organizations")).toBeLessThan(keys.indexOf("public.devices"));
  expect(keys.indexOf("public.devices")).toBeLessThan(keys.indexOf("public.device_tags"));
  expect(keys).not.toContain("public.worker_heartbeats");
  expect(tables.find(({ key }) => key === "public.device_tags")).toEqual({
    key: "public.device_tags",
    name: '"public"."device_tags"',
    columns: ["organization_id", "tag", "device_id"],
  });
});
