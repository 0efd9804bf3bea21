import { createHash } from "node:crypto";
import pino from "pino";
import { beforeEach, describe, expect, inject, it } from "vitest";
import {
  type Migration,
  migrateDatabase,
  migrateWithin,
  pendingMigrations,
  readMigrations,
} from "@/server/platform/database/migrate";
import { onServer, scratchDatabase } from "@/server/testing/database";

const log = pino({ level: "silent" });
const migration = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex"),
});
const first = migration("0001_first", "create table a (id int); insert into a values (1);");
const second = migration("0002_second", "alter table a add column name text; update a set name = 'x';");
const readTable = (url: string, sql: string) => onServer(url, async (client) => (await client.query(sql)).rows);

let url: string;
beforeEach(async () => {
  url = await scratchDatabase(inject("testRun"));
});

describe("migrations", () => {
  it("are applied once each, in order, after the job queue's own schema", async () => {
    expect(await migrateDatabase(url, log, [first])).toEqual(["0001_first"]);
    expect(await migrateDatabase(url, log, [first, second])).toEqual(["0002_second"]);
    expect(await migrateDatabase(url, log, [first, second])).toEqual([]);
    expect(await readTable(url, "select id, name from a")).toEqual([{ id: 1, name: "x" }]);
    expect(await readTable(url, "select to_regclass('graphile_worker.jobs') is not null as there")).toEqual([
      { there: true },
    ]);
  });

  it("write the rows that Prisma Migrate expects", async () => {
    await migrateDatabase(url, log, [first]);
    const [row] = await readTable(
      url,
      "select checksum, applied_steps_count, finished_at is not null as done from _prisma_migrations",
    );
    expect(row).toEqual({ checksum: first.checksum, applied_steps_count: 1, done: true });
  });

  it("are applied once when several processes start at the same time", async () => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => migrateDatabase(url, log, [first, second])));
    expect(runs.flat().sort()).toEqual(["0001_first", "0002_second"]);
  });

  it("are rolled back completely when they fail, and can be retried", async () => {
    const broken = migration("0002_second", "insert into a values (2); select nothing from nowhere;");
    await expect(migrateDatabase(url, log, [first, broken])).rejects.toThrow("0002_second failed and was undone");
    expect(await readTable(url, "select count(*)::int as n from a")).toEqual([{ n: 1 }]);
    expect(await migrateDatabase(url, log, [first, second])).toEqual(["0002_second"]);
  });

  it("can be applied inside a transaction and are rolled back with it", async () => {
    await onServer(url, async (client) => {
      await client.query("begin");
      await migrateWithin(client, log, [first]);
      await migrateWithin(client, log, [first, second]);
      await client.query("rollback");
      expect((await client.query("select from pg_namespace where nspname = 'graphile_worker'")).rowCount).toBe(0);
      await client.query("begin");
      await migrateWithin(client, log, [first, second]);
      await client.query("commit");
    });
    expect(await readTable(url, "select id, name from a")).toEqual([{ id: 1, name: "x" }]);
    expect(await migrateDatabase(url, log, [first, second])).toEqual([]);
    const broken = migration("0003_third", "select nothing from nowhere;");
    await onServer(url, async (client) => {
      await client.query("begin");
      const failed = migrateWithin(client, log, [first, second, broken]);
      await expect(failed).rejects.toThrow("0003_third failed and was undone");
    });
  });

  it("are refused when an applied one was edited, or when the database is newer", async () => {
    await migrateDatabase(url, log, [first, second]);
    await expect(migrateDatabase(url, log, [migration("0001_first", "select 1"), second])).rejects.toThrow(
      "was changed after",
    );
    await expect(migrateDatabase(url, log, [first])).rejects.toThrow("newer than this Muster");
  });

  it("that are missing are listed by name", async () => {
    await migrateDatabase(url, log, [first]);
    const pending = await onServer(url, (client) => pendingMigrations(client, [first, second]));
    expect(pending).toEqual(["0002_second"]);
  });

  it("of Muster can all be applied to an empty database", async () => {
    const all = readMigrations();
    expect(await migrateDatabase(url, log, all)).toEqual(all.map((each) => each.name));
  });
});
