import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { runMigrations } from "graphile-worker";
import pg from "pg";
import { TransactionPool } from "@/server/platform/database/transaction-pool";
import { checkQueuePackage, checkQueueSchema } from "@/server/platform/jobs/graphile";
import { graphileLogger } from "@/server/platform/jobs/graphile-log";
import type { Log } from "@/server/platform/log";
import { bool, queryRows, text, type Wire } from "@/server/platform/rows";

/** One folder below prisma/migrations; `checksum` is what Prisma Migrate stores, SHA-256 of the file in hex. */
export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** The advisory lock that Prisma Migrate takes too, so that they never run concurrently. A restore also holds it. */
export const migrationLock = 72707369;

const createTable = `
  create table if not exists _prisma_migrations (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`;

/** Reads the migrations of a folder in the order in which they apply. */
export function readMigrations(directory = path.resolve("prisma/migrations")): Migration[] {
  const folders = fs.readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(directory, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    });
}

/**
 * Updates the job queue's schema and applies every missing migration, each in one transaction and recorded as `prisma
 * migrate deploy` does; concurrent callers wait for each other. Resolves to the names applied. Throws an Error for the
 * operator when the history or the version of the job queue does not match.
 */
export async function migrateDatabase(url: string, log: Log, migrations = readMigrations()): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: "muster-migrate" });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    checkQueuePackage();
    await runMigrations({ connectionString: url, maxPoolSize: 1, logger: graphileLogger(log) });
    await checkQueueSchema(client);
    await client.query(createTable);
    const missing = missingFrom(await history(client), migrations);
    for (const migration of missing) {
      const began = performance.now();
      await apply(client, migration);
      log.info({ migration: migration.name, ms: Math.round(performance.now() - began) }, "migration applied");
    }
    return missing.map((migration) => migration.name);
  } finally {
    await client.end().catch(() => {}); // ends the session and with it the lock
  }
}

/**
 * Does the same inside the open transaction of `client`. The caller holds the migration lock and rolls back when this
 * throws (the errors of `migrateDatabase`).
 */
export async function migrateWithin(client: pg.Client, log: Log, migrations = readMigrations()): Promise<void> {
  checkQueuePackage();
  await runMigrations({ pgPool: new TransactionPool(client), logger: graphileLogger(log) });
  await checkQueueSchema(client);
  await client.query(createTable);
  for (const migration of missingFrom(await history(client), migrations)) {
    await applyWithin(client, migration).catch((error: unknown) => {
      throw undone(migration, error);
    });
  }
}

/** The names of migrations not applied yet. Throws like `migrateDatabase` when the history does not match. */
export async function pendingMigrations(db: pg.Pool | pg.ClientBase, migrations = readMigrations()): Promise<string[]> {
  return missingFrom(await history(db), migrations).map((migration) => migration.name);
}

const historyRow = { name: text, checksum: text, finished: bool };
type HistoryRow = Wire<typeof historyRow>;

const history = (db: pg.Pool | pg.ClientBase): Promise<HistoryRow[]> =>
  queryRows(
    db,
    historyRow,
    `select migration_name::text as name, checksum::text, finished_at is not null as finished from _prisma_migrations
      where rolled_back_at is null`,
  );

function missingFrom(rows: HistoryRow[], migrations: Migration[]): Migration[] {
  const known = new Set(migrations.map((migration) => migration.name));
  const applied = new Map(rows.map((row) => [row.name, row]));
  const unknown = rows.find((row) => !known.has(row.name));
  if (unknown) {
    throw new Error(`The database is newer than this Muster: it has the migration ${unknown.name}. Update Muster.`);
  }
  return migrations.filter((migration) => {
    const row = applied.get(migration.name);
    if (!row) return true;
    if (!row.finished) throw new Error(`The migration ${migration.name} failed under Prisma. Resolve it there first.`);
    if (row.checksum === migration.checksum) return false;
    throw new Error(
      `The migration ${migration.name} was changed after this database had applied it. Restore the file.`,
    );
  });
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await applyWithin(client, migration);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw undone(migration, error);
  }
}

async function applyWithin(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  const begin = "insert into _prisma_migrations (id, checksum, migration_name, started_at) values ($1, $2, $3, $4)";
  const finish =
    "update _prisma_migrations set finished_at = clock_timestamp(), applied_steps_count = 1 " +
    "where migration_name = $1 and rolled_back_at is null";
  await client.query(begin, [randomUUID(), checksum, name, new Date()]);
  await client.query(sql);
  await client.query(finish, [name]);
}

function undone({ name }: Migration, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`The migration ${name} failed and was undone: ${reason}`, { cause: error });
}
