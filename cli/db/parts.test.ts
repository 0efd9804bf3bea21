import fs from "node:fs";
import path from "node:path";
import pino from "pino";
import { afterAll, expect, inject, test } from "vitest";
import { backup } from "@/cli/db/backup";
import { listTables, replaceParts } from "@/cli/db/tables";
import { verifyBackup } from "@/cli/db/verify";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { readMigrations } from "@/server/platform/database/migration-files";
import { env } from "@/server/platform/env";
import { type Columns, int4, notNull, queryRows, text, type Wire } from "@/server/platform/rows";
import { emptyPlace, getEnvironment, readState, restore, type Place } from "@/server/testing/backups";
import { bundledCommandLine } from "@/server/testing/command-line";
import { onServer, scratchDatabase } from "@/server/testing/database";
import { unique } from "@/server/testing/factories";

const log = pino({ level: "silent" });
const folder = path.join(env.DATA_DIR, unique("parts"));
fs.mkdirSync(folder, { recursive: true });
const commandLine = await bundledCommandLine();
afterAll(() => commandLine.close());

const run = ({ databaseUrl }: Place, sql: string) => onServer(databaseUrl, (client) => client.query(sql));
const read = <C extends Columns>({ databaseUrl }: Place, columns: C, sql: string): Promise<Wire<C>[]> =>
  onServer(databaseUrl, async (client) => {
    await client.query("set TimeZone = 'UTC'");
    return queryRows(client, columns, sql);
  });

const parts = async (place: Place): Promise<string[]> =>
  (
    await read(
      place,
      { part: notNull(text) },
      `select c.relname || ' ' || pg_get_expr(c.relpartbound, c.oid) as part from pg_class c
      where c.relispartition and c.relkind = 'r' order by 1`,
    )
  ).map(({ part }) => part);

const authSecret = "the secret of these installations";

async function backUp(place: Place): Promise<string> {
  const file = path.join(folder, `${unique("backup")}.tar`);
  await backup({ databaseUrl: place.databaseUrl, authSecret, withSecret: false }, file);
  return file;
}

/** An installation with the tables of the migrations, and the folders of its files. */
async function migrated(migrations = readMigrations()): Promise<Place> {
  const place = await emptyPlace(folder);
  await migrateDatabase(place.databaseUrl, log, migrations);
  fs.mkdirSync(path.join(place.dataDir, "files"), { recursive: true });
  return place;
}

const organization = "insert into organizations (uid, name, slug, updated_at) values ('o', 'O', 'o', now())";
const addDevice = (uid: string) =>
  `insert into devices (uid, organization_id, name, type, token_hash, token_last_four, updated_at)
   values ('${uid}', 'o', '${uid}', 'arm', '\\x${Buffer.from(uid).toString("hex")}', '0000', now()) returning number`;

test("a restore has every row of a partitioned table, the parts that were backed up, and those that writing needs", async () => {
  const place = await migrated();
  const [before] = await read(
    place,
    { yesterday: text },
    "select to_char(now() - interval '1 day', 'YYYYMMDD') as yesterday",
  );
  const lost = `metric_points_${before?.yesterday}`;
  await run(place, organization);
  await run(place, addDevice("d"));
  await run(place, "select make_metric_parts('2025-11-30', '2026-01-02')");
  // A part with other bounds than the migration would give it, and one that is missing.
  await run(place, `drop table metric_rollups_1h_202512; drop table metric_rollups_1h_202511; drop table ${lost}`);
  await run(
    place,
    `create table metric_rollups_1h_202511 partition of metric_rollups_1h
     for values from ('2025-11-01 00:00:00+00') to ('2026-01-01 00:00:00+00')`,
  );
  await run(
    place,
    `insert into metric_points select n % 7, at, 1, array[n, null, 'NaN', 'Infinity', 1e-300]::float8[]
     from generate_series(1, 20000) n cross join lateral (values ('2025-12-01Z'::timestamptz + n * interval '2 minutes')) t (at);
     insert into metric_points values (1, now(), 1, '{}'), (2, now(), 1, null);
     insert into metric_changes values (1, 1, '2025-12-31T23:59:59.999Z', '"a\\tb"'), (1, 1, now(), 'true');
     insert into metric_rollups_5m values (1, '2026-01-01Z', 1, '{1}', '{2}', '{3}', '{2}', '{4}');
     insert into metric_rollups_1h values (1, '2025-12-31T23:00Z', 1, '{1}', '{2}', '{3}', '{2}', '{4}')`,
  );
  const [state, made] = [await readState(place), await parts(place)];
  const file = await backUp(place);
  const { manifest, archive } = await verifyBackup(file);
  await archive.close();
  const listed = manifest.tables.flatMap(({ parts: each = [] }) => each.map(({ name, bounds }) => `${name} ${bounds}`));
  expect(listed.sort()).toEqual(made);

  for (const target of [await emptyPlace(folder), place]) {
    await restore(file, target, { authSecret });
    expect(await readState(target)).toBe(state);
    const after = await parts(target);
    expect(after.map((part) => part.split(" ")[0])).toContain(lost);
    expect(after).toEqual(expect.arrayContaining(made));
    // Rows go into their parts, with the indexes of the parent.
    const counted = "select count(*)::int as count from metric_points_20251202";
    expect(await read(target, { count: int4 }, counted)).toEqual([{ count: 720 }]);
    const [{ indexes } = { indexes: 0 }] = await read(
      target,
      { indexes: int4 },
      "select count(*)::int as indexes from pg_index i join pg_class c on c.oid = i.indrelid where c.relispartition and c.relkind = 'r'",
    );
    expect(indexes).toBe(after.length);
  }
}, 120_000);

test("a device registered after a restore does not get the number of a deleted one, whose points may still be there", async () => {
  const place = await migrated();
  await run(place, organization);
  for (const uid of ["a", "b"]) await run(place, addDevice(uid));
  const [last] = await read(place, { number: int4 }, addDevice("c"));
  await run(place, `insert into metric_points values (${last?.number}, now(), 1, '{1}')`);
  await run(place, "delete from devices where uid = 'c'");
  const target = await emptyPlace(folder);
  await restore(await backUp(place), target, { authSecret });
  expect(await read(target, { number: int4 }, addDevice("new"))).toEqual([{ number: (last?.number ?? 0) + 1 }]);
});

test("a backup from before the tables of health is restored, and has parts for what devices send from now on", async () => {
  const all = readMigrations();
  const place = await migrated(
    all.slice(
      0,
      all.findIndex(({ name }) => name.startsWith("0081_")),
    ),
  );
  await run(place, organization);
  // What this Muster notes and reads when it makes a backup, where neither that version nor its backup would have it.
  const database = new URL(place.databaseUrl).pathname.slice(1);
  await run(
    place,
    `create schema elsewhere; alter database "${database}" set search_path = public, elsewhere;
     create table elsewhere.backups (id text, kind text, started_at timestamptz, files_until timestamptz, finished_at timestamptz);
     create table elsewhere.series_packs (storage_key text, etag text, size_bytes bigint);
     create table elsewhere.annotation_imports (storage_key text, size_bytes bigint, status text)`,
  );
  const target = await emptyPlace(folder);
  await restore(await backUp(place), target, { authSecret });
  expect(await read(target, { uid: text }, "select uid from organizations")).toEqual([{ uid: "o" }]);
  await run(target, "insert into metric_points values (1, now() + interval '13 days', 1, '{1}')");
});

test("parts by list, by hash, by several columns and the default one are restored by a later version as they were", async () => {
  const cwd = path.join(folder, unique("later"));
  fs.cpSync("prisma/migrations", path.join(cwd, "prisma/migrations"), { recursive: true });
  fs.mkdirSync(path.join(cwd, "prisma/migrations/9998_divided"));
  fs.writeFileSync(
    path.join(cwd, "prisma/migrations/9998_divided/migration.sql"),
    `create table "By list" (id serial, kind text, "a ""b""" text, twice int generated always as (2) stored) partition by list (kind);
     create table "of 'o'" partition of "By list" for values in ('it''s; 1', null);
     create table by_hash (id int primary key) partition by hash (id);
     create table hash_0 partition of by_hash for values with (modulus 2, remainder 0);
     create table hash_1 partition of by_hash for values with (modulus 2, remainder 1);
     create table by_range (day date, n numeric) partition by range (day, n);
     create table range_1 partition of by_range for values from (minvalue, minvalue) to ('2026-02-28', 1.5);
     create table range_x partition of by_range default;`,
  );
  const place = await emptyPlace(folder);
  fs.mkdirSync(path.join(place.dataDir, "files"), { recursive: true });
  const muster = (at: Place, ...args: string[]) =>
    commandLine.start(["db", ...args], { env: { ...getEnvironment(at), AUTH_SECRET: "x".repeat(32) }, input: "", cwd })
      .ended;
  expect(await muster(place, "migrate")).toMatchObject({ code: 0 });
  await run(
    place,
    `create table "of more" partition of "By list" for values in ('x');
     insert into "By list" (kind, "a ""b""") values ('it''s; 1', 'y'), (null, null), ('x', 'z');
     insert into by_hash select generate_series(1, 50);
     insert into by_range values ('2026-01-01', 1), ('2026-02-28', 1.4), ('2026-02-28', 1.5), ('2027-01-01', 7)`,
  );
  const file = path.join(folder, `${unique("divided")}.tar`);
  expect(await muster(place, "backup", file)).toMatchObject({ code: 0 });
  const target = await emptyPlace(folder);
  expect(await muster(target, "restore", file)).toMatchObject({ code: 0 });
  expect(await readState(target)).toBe(await readState(place));
  expect(await parts(target)).toEqual(await parts(place));
  expect(await read(target, { id: int4 }, `insert into "By list" (kind) values ('x') returning id`)).toEqual([
    { id: 4 },
  ]);
}, 120_000);

test("bounds that hold more than bounds are refused", async () => {
  const databaseUrl = await scratchDatabase(inject("testRun"));
  await onServer(databaseUrl, async (client) => {
    await client.query("create table public.t (id int) partition by range (id)");
    const table = (await listTables(client)).find(({ key }) => key === "public.t");
    if (!table) throw new Error("the table is not listed");
    for (const bounds of ["DEFAULT; drop table t", "FOR VALUES IN (1); --", "FOR VALUES FROM (1) TO (f('a'))", ""])
      await expect(replaceParts(client, table, [{ name: "p", bounds }])).rejects.toThrow("which are none");
    await replaceParts(client, table, [{ name: "p", bounds: "FOR VALUES FROM (MINVALUE) TO ('5')" }]);
    await expect(client.query("insert into t values (6)")).rejects.toThrow("no partition");
  });
});
