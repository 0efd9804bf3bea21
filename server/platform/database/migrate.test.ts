import { createHash } from "node:crypto";
import pino from "pino";
import { beforeEach, describe, expect, inject, it, vi } from "vitest";
import { version } from "@/package.json";
import { applyMigration, readStatements } from "@/server/platform/database/apply-migration";
import {
  awaitMigrations,
  migrateDatabase,
  migrateWithin,
  migrationLock,
  pendingMigrations,
  restoreLock,
} from "@/server/platform/database/migrate";
import { type Migration, readMigrations } from "@/server/platform/database/migration-files";
import { backupLock } from "@/server/platform/storage/backup-lease";
import { onServer, scratchDatabase } from "@/server/testing/database";

const log = pino({ level: "silent" });
const migration = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex"),
});
const first = migration("0001_first", "create table a (id int); insert into a values (1);");
const second = migration("0002_second", "alter table a add column name text; update a set name = 'x';");
const readTable = (at: string, sql: string) => onServer(at, async (client) => (await client.query(sql)).rows);

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

  it("are refused when an applied one was edited", async () => {
    await migrateDatabase(url, log, [first, second]);
    await expect(migrateDatabase(url, log, [migration("0001_first", "select 1"), second])).rejects.toThrow(
      "was changed after",
    );
  });

  it("of a later version let the version before start, until one of them says that it cannot run on its result", async () => {
    const third = migration("0003_third", "-- needs: 0002_second\nalter table a drop column id;");
    await migrateDatabase(url, log, [first, second, third]);
    const start = (migrations: Migration[]) => migrateDatabase(url, log, migrations);
    expect(await start([first, second])).toEqual([]);
    await expect(start([first])).rejects.toThrow(
      `newer than this Muster (${version}): it has the migration 0003_third, on which this one cannot run. Update Muster.`,
    );
    const ready = onServer(url, (client) => pendingMigrations(client, [first]));
    await expect(ready).rejects.toThrow("newer than this Muster");
  });

  it("that a version does not know are refused with the version that has run on them", async () => {
    const all = readMigrations();
    const releases = migration("0002_releases", all.find(({ name }) => name.endsWith("_releases"))?.sql ?? "");
    const third = migration("0003_third", "-- needs: 0003_third\nalter table a drop column id;");
    await migrateDatabase(url, log, [first, releases]);
    await migrateDatabase(url, log, [first, releases]);
    expect(await readTable(url, "select version, last_migration from releases")).toEqual([
      { version, last_migration: "0002_releases" },
    ]);
    // As versions that came later have noted themselves.
    await readTable(url, "insert into releases values ('7.8.8', '0002_releases'), ('7.8.9', '0004_fourth')");
    const rows = "select version, last_migration from releases order by version";
    await migrateDatabase(url, log, [first, releases, third]);
    expect(await readTable(url, rows)).toContainEqual({ version, last_migration: "0003_third" });
    await expect(migrateDatabase(url, log, [first, releases])).rejects.toThrow(
      `newer than this Muster (${version}): it has the migration 0003_third, on which this one cannot run. Use Muster 7.8.9, which has run on it, or a newer one.`,
    );
    // An earlier version that may run is noted too, and takes nothing back.
    await migrateDatabase(url, log, [first, releases, third]);
    expect(await readTable(url, rows)).toContainEqual({ version, last_migration: "0003_third" });
  });

  it("hold up nobody who starts with nothing to apply, but do while a restore is under way", async () => {
    await migrateDatabase(url, log, [first]);
    await onServer(url, async (migrating) => {
      await migrating.query("select pg_advisory_lock($1)", [migrationLock]);
      expect(await migrateDatabase(url, log, [first])).toEqual([]);
      await migrating.query("select pg_advisory_lock($1)", [restoreLock]);
      let started = false;
      const starting = migrateDatabase(url, log, [first]).then(() => (started = true));
      const asks = `select 1 from pg_stat_activity
        where application_name = 'muster-migrate' and query like 'select pg_try_advisory_lock(%'`;
      const hasAsked = async () => (await migrating.query(asks)).rowCount === 1;
      await vi.waitFor(async () => expect(await hasAsked()).toBe(true), { timeout: 60_000 });
      expect(started).toBe(false);
      await migrating.query("select pg_advisory_unlock_all()");
      await starting;
    });
  });

  it("let others begin while a backup holds its lock, and whoever waits for them holds no index up", async () => {
    const outside = migration(
      "0002_index",
      "-- outside a transaction\ncreate index concurrently if not exists a_id_idx on a (id);",
    );
    await onServer(url, async (backup) => {
      await backup.query("select pg_advisory_lock($1)", [backupLock]);
      await migrateDatabase(url, log, [first]);
      await awaitMigrations(url, log, [first]);
      // Each waits for whoever has the lock, and the build of the index for every statement that began before it.
      const names = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(url, log, [first, outside])));
      expect(names.flat()).toEqual(["0002_index"]);
    });
  });

  it("are awaited by a process that shall not apply them", async () => {
    let waiting = true;
    const started = awaitMigrations(url, log, [first, second]).then(() => (waiting = false));
    await migrateDatabase(url, log, [first]);
    expect(waiting).toBe(true);
    await migrateDatabase(url, log, [first, second]);
    await started;
  });

  it("give way after a moment when somebody holds a table, and are applied once it is free", async () => {
    await migrateDatabase(url, log, [first]);
    const lockRetries = { waitMs: 100, tries: 100, pauseMs: 20 };
    await onServer(url, async (reader) => {
      await reader.query("begin; select * from a");
      const applying = onServer(url, (client) => applyMigration(client, second, log, lockRetries));
      // Whoever comes later waits behind the migration, but no longer than that waits itself.
      for (let n = 0; n < 3; n++) await readTable(url, "set statement_timeout = '5s'; select * from a");
      await reader.query("commit");
      await applying;
    });
    expect(await readTable(url, "select id, name from a")).toEqual([{ id: 1, name: "x" }]);
  });

  it("give up when a table is never free, and nothing was changed", async () => {
    await migrateDatabase(url, log, [first]);
    await onServer(url, async (reader) => {
      await reader.query("begin; select * from a");
      const applying = onServer(url, (client) =>
        applyMigration(client, second, log, { waitMs: 20, tries: 2, pauseMs: 1 }),
      );
      await expect(applying).rejects.toThrow("0002_second failed and was undone: canceling statement due to lock");
      await reader.query("rollback");
    });
    expect(await readTable(url, "select * from a")).toEqual([{ id: 1 }]);
  });

  it("that are missing are listed by name", async () => {
    await migrateDatabase(url, log, [first]);
    const pending = await onServer(url, (client) => pendingMigrations(client, [first, second]));
    expect(pending).toEqual(["0002_second"]);
  });

  it("of Muster can all be applied to an empty database, and what runs outside a transaction can be repeated", async () => {
    const all = readMigrations();
    for (const each of all) readStatements(each);
    expect(await migrateDatabase(url, log, all)).toEqual(all.map((each) => each.name));
  });
});

describe("a migration outside a transaction", () => {
  const index = migration(
    "0002_index",
    "-- outside a transaction\n\n-- Carries the list.\ncreate index concurrently if not exists a_id on a (id);\n" +
      "create index concurrently if not exists a_id_down on a (id desc);\n",
  );
  const listIndexes = () =>
    readTable(
      url,
      "select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indrelid = 'a'::regclass order by 1",
    );
  const both = [
    { name: "a_id", valid: true },
    { name: "a_id_down", valid: true },
  ];

  it("builds its indexes while a transaction that has written to the table is open", async () => {
    await migrateDatabase(url, log, [first]);
    await onServer(url, async (writer) => {
      await writer.query("begin; insert into a values (2)");
      const building = migrateDatabase(url, log, [first, index]);
      const waits = "select 1 from pg_stat_activity where datname = current_database() and query like 'create index%'";
      await vi.waitFor(async () => expect(await readTable(url, waits)).toHaveLength(1), { timeout: 60_000 });
      await writer.query("insert into a values (3)");
      await readTable(url, "insert into a values (4)"); // another session, behind nobody
      await writer.query("commit");
      expect(await building).toEqual(["0002_index"]);
    });
    expect(await listIndexes()).toEqual(both);
  });

  it("is completed by the next start when it was interrupted", async () => {
    await migrateDatabase(url, log, [first]);
    await readTable(url, "insert into a values (1)");
    await onServer(url, async (client) => {
      // As a build that was killed: an index that is not valid.
      const unique = client.query("create unique index concurrently a_id on a (id)");
      await expect(unique).rejects.toThrow("could not create unique index");
    });
    expect(await listIndexes()).toEqual([{ name: "a_id", valid: false }]);
    expect(await migrateDatabase(url, log, [first, index])).toEqual(["0002_index"]);
    expect(await listIndexes()).toEqual(both);
    expect(await migrateDatabase(url, log, [first, index])).toEqual([]);
  });

  it("is part of the transaction where there is one", async () => {
    await onServer(url, async (client) => {
      await client.query("begin");
      await migrateWithin(client, log, [first, index]);
      await client.query("commit");
    });
    expect(await listIndexes()).toEqual(both);
  });

  it("may hold nothing that cannot be repeated", () => {
    const wrong = migration("0002_wrong", "-- outside a transaction\ninsert into a values (1);");
    expect(() => readStatements(wrong)).toThrow('0002_wrong may not run "insert into a values (1)"');
  });
});
