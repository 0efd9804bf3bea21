import type pg from "pg";
import { version } from "@/package.json";
import type { Migration } from "@/server/platform/database/migration-files";
import { findRelease } from "@/server/platform/database/releases";
import { bool, nullable, queryRows, text, type Wire } from "@/server/platform/rows";

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

/** Creates the table in which Prisma Migrate records what was applied, if there is none. */
export const createHistory = (client: pg.ClientBase): Promise<unknown> => client.query(createTable);

export async function hasHistory(client: pg.ClientBase): Promise<boolean> {
  const statement = "select to_regclass('_prisma_migrations') is not null as made";
  return (await queryRows(client, { made: bool }, statement))[0]?.made === true;
}

const historyRow = { name: text, checksum: text, finished: bool, logs: nullable(text) };
type HistoryRow = Wire<typeof historyRow>;

const readHistory = (db: pg.Pool | pg.ClientBase): Promise<HistoryRow[]> =>
  queryRows(
    db,
    historyRow,
    `select migration_name::text as name, checksum::text, finished_at is not null as finished, logs
      from _prisma_migrations where rolled_back_at is null`,
  );

const needs = /^-- needs: (\w+)$/m;

/**
 * What the history notes with a migration: `needs NAME` when a Muster that does not know the migration NAME cannot run
 * on the result, from a line `-- needs: NAME` in its SQL.
 */
export const noteFor = ({ sql }: Migration): string | null => {
  const name = needs.exec(sql)?.[1];
  return name === undefined ? null : `needs ${name}`;
};

/**
 * The migrations that a database lacks, in order. Those of a later Muster are left alone unless one notes that this
 * Muster cannot run on its result. Throws an Error for the operator when the history does not match.
 */
export async function findMissing(db: pg.Pool | pg.ClientBase, migrations: Migration[]): Promise<Migration[]> {
  const rows = await readHistory(db);
  const known = new Set(migrations.map((migration) => migration.name));
  const applied = new Map(rows.map((row) => [row.name, row]));
  for (const { name, logs } of rows) {
    const needed = /^needs (\w+)$/.exec(logs ?? "")?.[1];
    if (known.has(name) || needed === undefined || known.has(needed)) continue;
    const release = await findRelease(db, needed);
    throw new Error(
      `The database is newer than this Muster (${version}): it has the migration ${name}, on which this one cannot run. ${release === undefined ? "Update Muster." : `Use Muster ${release}, which has run on it, or a newer one.`}`,
    );
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
