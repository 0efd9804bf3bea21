import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { computeMark, sumsName } from "@/cli/db/format";
import { restore as restoreVerified } from "@/cli/db/restore";
import { verifyBackup } from "@/cli/db/verify";
import { version } from "@/package.json";
import { readMigrations } from "@/server/platform/database/migration-files";
import { tryLock } from "@/server/platform/process/file-lock.mjs";
import {
  copyPlace,
  emptyPlace,
  getEnvironment,
  listFiles,
  leftovers,
  refuse,
  restore,
  secrets,
  start,
  readState,
  targetAt,
  twoBackups,
  type Place,
  type Which,
} from "@/server/testing/backups";
import { bundleProgram } from "@/server/testing/child-program";
import { bundledCommandLine, type Run } from "@/server/testing/command-line";
import { onServer } from "@/server/testing/database";
import { unique } from "@/server/testing/factories";
import { filesOfKey } from "@/server/testing/stored-files";

const commandLine = await bundledCommandLine();
const given = await twoBackups();
afterAll(() => commandLine.close());

const muster = (place: Place, args: string[], options: { cwd?: string } = {}): Run =>
  commandLine.start(args, { env: getEnvironment(place), input: "replace\n", ...options });
const installation = (which?: Which): Promise<Place> =>
  which === undefined ? emptyPlace(given.folder) : copyPlace(given.restored[which], given.folder);

const toFile = ({ dataDir }: Place, key: string): string => filesOfKey(key, path.join(dataDir, "files"))[0] ?? "";

/** Flips a bit in the middle of a stored file, as a failing disk does. */
function damage(place: Place, key: string): void {
  const file = toFile(place, key);
  const bytes = fs.readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  fs.writeFileSync(file, bytes);
}

describe("a damaged file", () => {
  test("is named by the backup and by the restore, and everything else is restored", async () => {
    const place = await installation("new");
    damage(place, given.keys.recording);
    damage(place, given.keys.item);
    const damaged = await readState(place);
    const file = path.join(given.folder, "damaged.tar");
    const made = await muster(place, ["db", "backup", "--with-secret", file]).ended;
    expect(made).toMatchObject({ code: 3 });
    const warnings = Object.values(given.keys).map((key) => `The file ${key} was damaged before this backup`);
    for (const warning of warnings) expect(made.err).toContain(warning);
    expect(made.err.match(/was damaged/g)).toHaveLength(2);

    const restored = await muster(place, ["db", "restore", "--force", file]).ended;
    expect(restored).toMatchObject({ code: 0 });
    for (const warning of warnings) expect(restored.err).toContain(warning);
    expect(await readState(place)).toBe(damaged);
    const empty = await installation();
    expect((await restore(file, empty)).damaged.sort()).toEqual(Object.values(given.keys).sort());
    expect(await readState(empty)).toBe(damaged);

    const again = await muster(empty, ["db", "backup", path.join(given.folder, "again.tar")]).ended;
    expect(again.err.match(/was damaged/g)).toHaveLength(2);
  });

  test("makes a strict restore fail without any change", async () => {
    const source = await installation("new");
    damage(source, given.keys.recording);
    const file = path.join(given.folder, "strict.tar");
    await muster(source, ["db", "backup", "--with-secret", file]).ended;
    const place = await installation("old");
    const refused = await muster(place, ["db", "restore", "--force", "--strict", file]).ended;
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`nothing was changed:\n${given.keys.recording}`);
    expect(await readState(place)).toBe(given.states.old);
    expect(leftovers(place)).toEqual([]);
    const intact = await muster(place, ["db", "restore", "--force", "--strict", given.backups.new]).ended;
    expect(intact.code).toBe(0);
    expect(await readState(place)).toBe(given.states.new);
  });

  test("that cannot be read makes the backup fail with its name", async () => {
    const place = await installation("new");
    const file = toFile(place, given.keys.recording);
    fs.rmSync(file);
    fs.mkdirSync(file);
    const target = path.join(given.folder, "unreadable.tar");
    const failed = await muster(place, ["db", "backup", target]).ended;
    expect(failed.code).toBe(1);
    expect(failed.err).toContain(`The file ${given.keys.recording} cannot be read: EISDIR`);
    expect(fs.existsSync(target)).toBe(false);
  });
});

describe("the secret of an installation", () => {
  test("is left out of a backup unless it is asked for, and the backup says which one it needs", async () => {
    const place = await installation("new");
    const [without, including] = [path.join(given.folder, "without.tar"), path.join(given.folder, "with.tar")];
    const made = await muster(place, ["db", "backup", without]).ended;
    expect(made).toMatchObject({ code: 0 });
    expect(fs.readFileSync(without).includes(secrets.new)).toBe(false);
    expect(made.err).toContain(`Its fingerprint is ${computeMark(secrets.new)}.`);
    expect((await muster(place, ["db", "backup", "--with-secret", including]).ended).err).toContain("keep it safe");
    expect(fs.readFileSync(including).includes(secrets.new)).toBe(true);

    const back = await muster(place, ["db", "restore", "--force", without]).ended;
    expect(back).toMatchObject({ code: 0 });
    expect(await readState(place)).toBe(given.states.new);
    const elsewhere = await installation();
    const refused = await muster(elsewhere, ["db", "restore", without]).ended;
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`the secret with the fingerprint ${computeMark(secrets.new)}`);
    expect((await muster(elsewhere, ["db", "restore", including]).ended).code).toBe(0);
    expect(await readState(elsewhere)).toBe(given.states.new);
  });
});

describe("a restore that fails leaves every row and every file unchanged", () => {
  let place: Place;
  beforeEach(async () => {
    place = await installation("old");
  });
  const expectUntouched = async () => {
    expect(leftovers(place)).toEqual([]);
    await start(place);
    expect(await readState(place)).toBe(given.states.old);
  };
  const expectRestorable = async () => {
    await restore(given.backups.new, place);
    expect(await readState(place)).toBe(given.states.new);
  };

  const leave = "perform pg_terminate_backend(pg_backend_pid())";
  const leaveAtRow = "create trigger leave before insert on devices for each row execute function elsewhere.leave()";
  test.each([
    ["every table is dropped", "graphile_worker.migrations", leave],
    ["a migration runs", "public.alerts", leave],
    ["rows are copied", "public.devices", leaveAtRow],
    ["all rows and files are in place", "muster_restore.pending", leave],
  ])("when the connection to the database is lost as soon as %s", async (_moment, table, action) => {
    await onServer(place.databaseUrl, (client) =>
      client.query(`create schema elsewhere;
        create function elsewhere.leave() returns trigger language plpgsql as $$ begin ${leave}; return new; end $$;
        create function elsewhere.watch() returns event_trigger language plpgsql as $$ begin
          if exists (select from pg_event_trigger_ddl_commands() where object_identity = '${table}') then
            ${action};
          end if;
        end $$;
        create event trigger watch on ddl_command_end when tag in ('CREATE TABLE') execute function elsewhere.watch()`),
    );
    await expect(restore(given.backups.new, place)).rejects.toThrow(/terminat|connection/i);
    await onServer(place.databaseUrl, (client) => client.query("drop schema elsewhere cascade"));
    await expectUntouched();
    // As far as a restore can come before it is lost.
    if (table === "muster_restore.pending") await expectRestorable();
  });

  test("when the backup is truncated after it was verified", async () => {
    const file = path.join(given.folder, unique("cut"));
    const bytes = fs.readFileSync(given.backups.new);
    // The last one lies between two entries, where an archive reads as if it were complete.
    const cuts = [...[0.2, 0.6, 0.95].map((share) => Math.floor(bytes.length * share)), bytes.lastIndexOf(sumsName)];
    for (const cut of cuts) {
      fs.writeFileSync(file, bytes);
      const verified = await verifyBackup(file);
      fs.truncateSync(file, cut);
      await expect(restoreVerified(verified, targetAt(place))).rejects.toThrow("the file breaks off");
      expect(await readState(place)).toBe(given.states.old);
    }
    await expectUntouched();
  });

  test("when a newer Muster made it, whose version is named", async () => {
    const cwd = path.join(given.folder, unique("older"));
    fs.cpSync("prisma/migrations", path.join(cwd, "prisma/migrations"), { recursive: true });
    const last = readMigrations().at(-1)?.name ?? "";
    fs.rmSync(path.join(cwd, "prisma/migrations", last), { recursive: true });
    const refused = await muster(place, ["db", "restore", "--force", given.backups.new], { cwd }).ended;
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`it has the migration ${last}.`) });
    expect(refused.err).toContain(`Restore it with Muster ${version} or a newer one.`);
    await expectUntouched();
  });

  test("when a later migration does not apply to its rows", async () => {
    const cwd = path.join(given.folder, unique("newer"));
    fs.cpSync("prisma/migrations", path.join(cwd, "prisma/migrations"), { recursive: true });
    const migration = path.join(cwd, "prisma/migrations/9999_impossible");
    fs.mkdirSync(migration);
    const impossible = "alter table devices add constraint impossible check (uid = '')";
    fs.writeFileSync(path.join(migration, "migration.sql"), impossible);
    const failed = await muster(place, ["db", "restore", "--force", given.backups.new], { cwd }).ended;
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("9999_impossible failed and was undone") });
    expect(failed.err).toContain("nothing was changed");
    await expectUntouched();
    await expectRestorable();
  });

  test("when a folder cannot be written to or moved", async () => {
    const own = process.getuid?.() ?? 0;
    const user = own === 0 ? 65_534 : own;
    // A folder that any user can access.
    const reachable = fs.mkdtempSync(path.join(os.tmpdir(), "muster-"));
    try {
      fs.chmodSync(reachable, 0o755);
      fs.cpSync("prisma/migrations", path.join(reachable, "prisma/migrations"), { recursive: true });
      const open = { ...place, dataDir: path.join(reachable, "data") };
      fs.cpSync(place.dataDir, open.dataDir, { recursive: true });
      const root = path.join(open.dataDir, "files");
      for (const name of fs.readdirSync(root)) fs.chownSync(path.join(root, name), user, -1);
      const program = await bundleProgram("unprivileged-restore");
      for (const closed of [open.dataDir, root, path.join(root, "recordings")]) {
        fs.chownSync(closed, user, -1);
        fs.chmodSync(closed, 0o555);
        const args = [given.backups.new, open.databaseUrl, open.dataDir, String(user), reachable];
        const errors = await text(spawn(process.execPath, [program.file, ...args]).stderr);
        expect(errors).toContain("EACCES: permission denied");
        expect(errors).toContain(closed);
        fs.chmodSync(closed, 0o755);
        expect(leftovers(open)).toEqual([]);
        expect(await readState(open)).toBe(given.states.old);
      }
      program.remove();
    } finally {
      fs.rmSync(reachable, { recursive: true });
    }
    await expectUntouched();
  });

  test("when another program locks a table", async () => {
    await onServer(place.databaseUrl, async (client) => {
      await client.query("begin; select from devices");
      await expect(restore(given.backups.new, place)).rejects.toThrow("Another program uses the database");
    });
    await expectUntouched();
  });

  test("when a Muster runs on the same folder", async () => {
    const lock = tryLock(path.join(place.dataDir, "muster.lock"));
    await expect(restore(given.backups.new, place)).rejects.toThrow("Muster is running");
    if (lock.held) lock.release();
    await expectUntouched();
  });
});

describe("a restore", () => {
  test("replaces what a newer Muster left in the database: tables, types, functions and its job queue", async () => {
    const place = await installation("old");
    await onServer(place.databaseUrl, (client) =>
      client.query(`
        create type mood as enum ('good', 'bad'); create domain word as text; create type pair as (a int, b mood);
        create table later (id serial primary key, feels mood, called word); create sequence loose;
        create view seen as select * from later; create materialized view kept as select * from seen;
        create function twice(n int) returns int language sql as 'select 2 * n';
        create procedure nothing(n int) language sql as '';
        create aggregate total(int) (sfunc = int4pl, stype = int);
        create function touch() returns trigger language plpgsql as 'begin return new; end';
        create trigger touched before update on devices for each row execute function touch();
        create table graphile_worker.later_jobs (id int);
        insert into graphile_worker.migrations (id, breaking) values (1000, true);
        insert into _prisma_migrations (id, checksum, migration_name, finished_at)
          values ('1', '', '9999_later', now())`),
    );
    await restore(given.backups.new, place);
    await start(place);
    expect(await readState(place)).toBe(given.states.new);
    const left = await onServer(place.databaseUrl, (client) =>
      client.query(`
        select proname from pg_proc where proname in ('twice', 'nothing', 'total', 'touch')
        union all select typname from pg_type where typname in ('mood', 'word', 'pair')
        union all select relname from pg_class where relname in ('later', 'later_jobs', 'loose', 'seen', 'kept')`),
    );
    expect(left.rows).toEqual([]);
  });

  test("needs no more rights than Muster itself, and leaves the schema public unchanged", async () => {
    const place = await installation();
    const role = unique("role").replace("-", "_");
    const url = new URL(place.databaseUrl);
    [url.username, url.password] = [role, role];
    const grants =
      "select nspacl::text as acl, nspowner::regrole::text as owner from pg_namespace where nspname = 'public'";
    await onServer(place.databaseUrl, async (client) => {
      await client.query(`create role ${role} login password '${role}'; grant create on schema public to ${role};
        grant create on database "${url.pathname.slice(1)}" to ${role}`);
      const before = (await client.query(grants)).rows;
      for (const file of [given.backups.old, given.backups.new]) {
        await restore(file, { ...place, databaseUrl: url.toString() });
        await start({ ...place, databaseUrl: url.toString() });
      }
      expect(await readState(place)).toBe(given.states.new);
      expect((await client.query(grants)).rows).toEqual(before);
      await client.query(`drop owned by ${role} cascade; drop role ${role}`);
    });
  });

  test("asks before it replaces files, even if the database is empty", async () => {
    const place = await installation("old");
    const other = { ...(await installation()), dataDir: place.dataDir };
    const before = listFiles(other);
    const refused = restore(given.backups.new, other, { mayReplace: refuse });
    await expect(refused).rejects.toThrow("DATA_DIR holds files");
    expect(listFiles(other)).toEqual(before);
    await restore(given.backups.new, other);
    expect(await readState(other)).toBe(given.states.new);
  });

  test("follows a symbolic link at DATA_DIR/files", async () => {
    const place = await installation();
    const disk = path.join(given.folder, unique("disk"));
    fs.mkdirSync(path.join(disk, "lost+found"), { recursive: true });
    fs.mkdirSync(place.dataDir);
    fs.symlinkSync(disk, path.join(place.dataDir, "files"));
    await restore(given.backups.new, place);
    expect(filesOfKey(given.keys.recording, disk)).toHaveLength(1);
    expect(fs.readlinkSync(path.join(place.dataDir, "files"))).toBe(disk);
    expect(fs.readdirSync(disk)).toContain("lost+found");
  });
});
