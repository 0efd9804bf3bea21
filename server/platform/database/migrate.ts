import { setTimeout as sleep } from "node:timers/promises";
import { runMigrations } from "graphile-worker";
import pg from "pg";
import { awaitLock } from "@/server/platform/database/advisory-lock";
import { applyMigration, applyWithin } from "@/server/platform/database/apply-migration";
import { type Migration, readMigrations } from "@/server/platform/database/migration-files";
import { createHistory, findMissing, hasHistory } from "@/server/platform/database/migration-history";
import { noteRelease } from "@/server/platform/database/releases";
import { TransactionPool } from "@/server/platform/database/transaction-pool";
import { checkQueuePackage, checkQueueSchema, hasQueueSchema } from "@/server/platform/jobs/graphile";
import { graphileLogger } from "@/server/platform/jobs/graphile-log";
import type { Log } from "@/server/platform/log";
import { bool, queryRows } from "@/server/platform/rows";

/** The advisory lock that Prisma Migrate takes too, so that they never run concurrently. A restore also holds it. */
export const migrationLock = 72707369;

const pollMs = 500;

/** Held by a restore only: nothing may start on what it is about to replace. */
export const restoreLock = 72707373;

/**
 * Updates the job queue's schema and applies every missing migration, recorded as `prisma migrate deploy` does;
 * concurrent callers wait for each other, but not when nothing is missing for them. Resolves to the names applied.
 * Throws an Error for the operator when the history or the version of the job queue does not match.
 */
export async function migrateDatabase(url: string, log: Log, migrations = readMigrations()): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: "muster-migrate" });
  client.on("error", () => {});
  await client.connect();
  try {
    if (await isMigrated(client, migrations)) return [];
    await awaitLock(client, migrationLock);
    checkQueuePackage();
    await runMigrations({ connectionString: url, maxPoolSize: 1, logger: graphileLogger(log) });
    await checkQueueSchema(client);
    await createHistory(client);
    const missing = await findMissing(client, migrations);
    for (const migration of missing) {
      const began = performance.now();
      await applyMigration(client, migration, log);
      log.info({ migration: migration.name, ms: Math.round(performance.now() - began) }, "migration applied");
    }
    await noteRelease(client, migrations);
    return missing.map((migration) => migration.name);
  } finally {
    await client.end().catch(() => {}); // ends the session and with it the locks
  }
}

/** Waits until another process has applied every migration. Throws an Error for the operator like `migrateDatabase`. */
export async function awaitMigrations(url: string, log: Log, migrations = readMigrations()): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "muster-migrate" });
  client.on("error", () => {});
  await client.connect();
  try {
    for (let logged = false; !(await isMigrated(client, migrations)); logged = true) {
      if (!logged) log.info("waiting until another process has applied the migrations");
      await sleep(pollMs);
    }
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whether nothing is left to apply and no restore is under way; this version is then noted. Throws an Error for the operator. */
async function isMigrated(client: pg.Client, migrations: Migration[]): Promise<boolean> {
  const tryLock = "select pg_try_advisory_lock_shared($1) as held";
  const [lock] = await queryRows(client, { held: bool }, tryLock, [restoreLock]);
  if (!lock?.held) return false;
  try {
    const made = await hasHistory(client);
    if (!made || !(await hasQueueSchema(client))) return false;
    if ((await findMissing(client, migrations)).length > 0) return false;
    await noteRelease(client, migrations);
    return true;
  } finally {
    await client.query("select pg_advisory_unlock_shared($1)", [restoreLock]);
  }
}

/**
 * Does the same as `migrateDatabase` inside the open transaction of `client`. The caller holds the migration lock and
 * rolls back when this throws (the errors of `migrateDatabase`).
 */
export async function migrateWithin(client: pg.Client, log: Log, migrations = readMigrations()): Promise<void> {
  checkQueuePackage();
  await runMigrations({ pgPool: new TransactionPool(client), logger: graphileLogger(log) });
  await checkQueueSchema(client);
  await createHistory(client);
  for (const migration of await findMissing(client, migrations)) await applyWithin(client, migration);
}

/** The names of migrations not applied yet. Throws like `migrateDatabase` when the history does not match. */
export async function pendingMigrations(db: pg.Pool | pg.ClientBase, migrations = readMigrations()): Promise<string[]> {
  return (await findMissing(db, migrations)).map((migration) => migration.name);
}
