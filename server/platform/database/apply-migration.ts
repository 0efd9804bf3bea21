import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Migration } from "@/server/platform/database/migration-files";
import { noteFor } from "@/server/platform/database/migration-history";
import type { Log } from "@/server/platform/log";

/** How long a migration waits for a lock before it lets others pass, how often it tries, and the pause between. */
const lockRetries = { waitMs: 2_000, tries: 100, pauseMs: 1_000 };

const lockNotAvailable = "55P03";

const outside = "-- outside a transaction\n";

/** The statements that a migration outside a transaction may have; all can be repeated after an interruption. */
const repeatable =
  /^(?:create (?:unique )?index concurrently if not exists|drop index concurrently if exists) "?(\w+)"?(?:\s|$)/i;

interface Statement {
  text: string;
  /** The index that it creates or drops. */
  index: string;
}

/**
 * The statements of a migration that begins with the line `-- outside a transaction`, which are run one by one; null for
 * any other. Throws an Error when there is one that could not be repeated after an interruption.
 */
export function readStatements({ name, sql }: Migration): Statement[] | null {
  if (!sql.startsWith(outside)) return null;
  const statements = sql
    .replaceAll(/^--.*$/gm, "")
    .split(/;\s*$/m)
    .map((text) => text.trim())
    .filter(Boolean);
  return statements.map((text) => {
    const index = repeatable.exec(text)?.[1];
    if (index === undefined) throw new Error(`the migration ${name} may not run "${text}" outside a transaction`);
    return { text, index };
  });
}

/**
 * Applies a migration and records it: in one transaction, or, for indexes that are built while others write, statement
 * by statement. While it waits for a lock everybody else waits behind it, so it gives up soon and tries again. Throws an
 * Error for the operator.
 */
export async function applyMigration(
  client: pg.Client,
  migration: Migration,
  log: Log,
  { waitMs, tries, pauseMs } = lockRetries,
): Promise<void> {
  const statements = readStatements(migration);
  if (statements) return applyOutside(client, migration, statements);
  for (let left = tries; ; left--) {
    await client.query("begin");
    try {
      await client.query(`set local lock_timeout = ${waitMs}`);
      await applyWithin(client, migration);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      if (left <= 1 || !isLockTimeout(error)) throw error;
      log.warn({ migration: migration.name }, "the migration waits for a lock and will be tried again");
      await sleep(pauseMs);
    }
  }
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof pg.DatabaseError && error.cause.code === lockNotAvailable;

async function applyOutside(client: pg.Client, migration: Migration, statements: Statement[]): Promise<void> {
  try {
    for (const { text, index } of statements) {
      await dropInvalid(client, index);
      await client.query(text);
    }
    await client.query(record, recordValues(migration));
  } catch (error) {
    throw failed(migration, "and is repeated at the next start", error);
  }
}

/** An interrupted build leaves an index that is not used, but kept up to date and in the way of the next one. */
async function dropInvalid(client: pg.Client, index: string): Promise<void> {
  const { rowCount } = await client.query(
    "select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid",
    [index],
  );
  if (rowCount) await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(index)}`);
}

const record = `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count, logs)
  values ($1, $2, $3, now(), clock_timestamp(), 1, $4)`;
const recordValues = (migration: Migration): (string | null)[] => [
  randomUUID(),
  migration.checksum,
  migration.name,
  noteFor(migration),
];

/** The SQL of a migration for a transaction, in which no index can be built concurrently. */
export const toTransactional = (migration: Migration): string =>
  readStatements(migration) ? migration.sql.replaceAll(/\bconcurrently\b/gi, "") : migration.sql;

/** Applies a migration inside the open transaction of `client`. */
export async function applyWithin(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query(toTransactional(migration));
    await client.query(record, recordValues(migration));
  } catch (error) {
    throw failed(migration, "and was undone", error);
  }
}

function failed({ name }: Migration, result: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`The migration ${name} failed ${result}: ${reason}`, { cause: error });
}
