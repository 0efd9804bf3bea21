import type pg from "pg";
import { version } from "@/package.json";
import type { Migration } from "@/server/platform/database/migration-files";
import { bool, queryRows, text } from "@/server/platform/rows";

async function hasReleases(db: pg.Pool | pg.ClientBase): Promise<boolean> {
  const [row] = await queryRows(db, { made: bool }, "select to_regclass('releases') is not null as made");
  return row?.made === true;
}

/** Notes that this version runs on the database, with the last migration that it knows. */
export async function noteRelease(client: pg.ClientBase, migrations: Migration[]): Promise<void> {
  const last = migrations.at(-1)?.name;
  if (last === undefined || !(await hasReleases(client))) return;
  await client.query(
    `insert into releases (version, last_migration) values ($1, $2)
    on conflict (version) do update set last_migration = excluded.last_migration
      where releases.last_migration collate "C" < excluded.last_migration`,
    [version, last],
  );
}

/** The version that has run on the database and knows the most migrations, if it knows this one. */
export async function findRelease(db: pg.Pool | pg.ClientBase, migration: string): Promise<string | undefined> {
  if (!(await hasReleases(db))) return undefined;
  const [row] = await queryRows(
    db,
    { version: text },
    `select version from releases where last_migration collate "C" >= $1
    order by last_migration collate "C" desc, first_ran_at desc limit 1`,
    [migration],
  );
  return row?.version;
}
