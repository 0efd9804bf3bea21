import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
// oxlint-disable-next-line no-restricted-imports -- a restore is killed at a moment of its time
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  copyPlace,
  getEnvironment,
  isLeftover,
  leftovers,
  refuse,
  restore,
  secrets,
  start,
  readState,
  twoBackups,
  type Place,
} from "@/server/testing/backups";
import { bundledCommandLine, type Run } from "@/server/testing/command-line";
import { onServer } from "@/server/testing/database";
import { unique } from "@/server/testing/factories";
import { countShare } from "@/server/testing/generated-cases";
import { filesOfKey } from "@/server/testing/stored-files";

const commandLine = await bundledCommandLine();
const given = await twoBackups();
afterAll(() => commandLine.close());

const muster = (place: Place, args: string[]): Run =>
  commandLine.start(args, { env: getEnvironment(place), input: "replace\n" });
const oldInstallation = (): Promise<Place> => copyPlace(given.restored.old, given.folder);
/** Expects a restore to replace everything and to remove what earlier ones left. */
async function expectRestored(place: Place): Promise<void> {
  await restore(given.backups.new, place);
  expect(await readState(place)).toBe(given.states.new);
  expect(leftovers(place)).toEqual([]);
}
const isPending = (place: Place): Promise<boolean> =>
  onServer(place.databaseUrl, async (client) => {
    const { rowCount } = await client.query("select from pg_namespace where nspname = 'muster_restore'");
    return rowCount === 1;
  });

/** The key of the lock by which a test holds a restore. */
const holding = 77_000_001;

describe("a restore that is killed", () => {
  /** Kills a restore after `share` of `spanMs`, or not at all if `share` is 1. Resolves to how long it worked. */
  async function killRestore(place: Place, spanMs: number, share: number): Promise<number> {
    const before = leftovers(place);
    const { child, ended } = muster(place, ["db", "restore", "--force", given.backups.new]);
    let isOver = false;
    void ended.then(() => (isOver = true));
    while (!isOver && leftovers(place).every((name) => before.includes(name))) await sleep(1);
    const began = performance.now();
    if (share < 1) {
      await sleep(spanMs * share);
      child.kill("SIGKILL");
    }
    await ended;
    return performance.now() - began;
  }

  // Up to twenty restores: half a minute, and minutes on a machine that does other things.
  const ofRestores = { timeout: 300_000 };

  test(
    "at any moment leaves the complete old or new state, and the next one removes what it left",
    ofRestores,
    async () => {
      const complete = await oldInstallation();
      const spanMs = await killRestore(complete, 0, 1);
      expect(await readState(complete)).toBe(given.states.new);
      let place = await oldInstallation();
      const ends: string[] = [];
      const rounds = 1 + countShare(8);
      for (let round = 0; round < rounds; round++) {
        await killRestore(place, spanMs, round === 0 ? 0 : (round + Math.random()) / rounds);
        await start(place);
        const state = await readState(place);
        expect([given.states.old, given.states.new]).toContain(state);
        expect(await isPending(place)).toBe(false);
        ends.push(state === given.states.old ? "old" : "new");
        if (state === given.states.new) place = await oldInstallation();
      }
      expect(ends).toContain("old");
      fs.mkdirSync(path.join(place.dataDir, "files", ".restore-of-old"));
      await expectRestored(place);
    },
  );

  test("between the commit and the switch of the files is finished by the next start", async () => {
    const place = await oldInstallation();
    await onServer(place.databaseUrl, async (client) => {
      // Reading the note of a committed restore waits for this lock; its writing does not.
      await client.query(`select pg_advisory_lock(${holding});
        create schema elsewhere;
        create function elsewhere.hold() returns boolean language sql volatile as
          $$ select pg_advisory_xact_lock_shared(${holding}) is not null $$;
        create function elsewhere.watch() returns event_trigger language plpgsql as $$ begin
          if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'muster_restore.pending') then
            alter table muster_restore.pending rename to kept;
            create view muster_restore.pending as select id from muster_restore.kept where elsewhere.hold();
          end if;
        end $$;
        create event trigger watch on ddl_command_end when tag in ('CREATE TABLE') execute function elsewhere.watch()`);
      const { child, ended } = muster(place, ["db", "restore", "--force", given.backups.new]);
      const isHeld = async (): Promise<boolean> => {
        const { rowCount } = await client.query(
          "select from pg_locks where locktype = 'advisory' and objid = $1 and not granted",
          [holding],
        );
        return rowCount === 1;
      };
      await vi.waitUntil(async () => child.exitCode !== null || (await isHeld()), { timeout: 60_000, interval: 20 });
      expect(child.exitCode).toBeNull();
      child.kill("SIGKILL");
      await ended;
      expect(await isPending(place)).toBe(true);
    });
    await start(place);
    expect(await readState(place)).toBe(given.states.new);
    expect(await isPending(place)).toBe(false);
  });
});

test("a restore whose commit fails leaves the old state, and the next one removes what it left", async () => {
  const place = await oldInstallation();
  await onServer(place.databaseUrl, (client) =>
    client.query(`create schema elsewhere;
      create function elsewhere.leave() returns trigger language plpgsql as $$ begin
        perform pg_terminate_backend(pg_backend_pid());
        return new;
      end $$;
      create function elsewhere.watch() returns event_trigger language plpgsql as $$ begin
        if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'muster_restore.pending') then
          create constraint trigger leave after insert on muster_restore.pending deferrable initially deferred
            for each row execute function elsewhere.leave();
        end if;
      end $$;
      create event trigger watch on ddl_command_end when tag in ('CREATE TABLE') execute function elsewhere.watch()`),
  );
  await expect(restore(given.backups.new, place)).rejects.toThrow("interrupted at its end");
  await onServer(place.databaseUrl, (client) => client.query("drop schema elsewhere cascade"));
  await start(place);
  expect(await readState(place)).toBe(given.states.old);
  await expectRestored(place);
});

describe("a restore whose files could not be switched after its commit", () => {
  let interrupted: Place;
  beforeAll(async () => {
    interrupted = await oldInstallation();
    const secret = path.join(interrupted.dataDir, "auth-secret");
    fs.rmSync(secret);
    fs.mkdirSync(path.join(secret, "in the way"), { recursive: true });
    await expect(restore(given.backups.new, interrupted)).rejects.toThrow("interrupted at its end");
    expect(await isPending(interrupted)).toBe(true);
    await expect(start(interrupted)).rejects.toThrow("EISDIR");
  });
  let place: Place;
  beforeEach(async () => {
    place = await copyPlace(interrupted, given.folder);
  });
  const repair = () => fs.rmSync(path.join(place.dataDir, "auth-secret"), { recursive: true });

  test("is finished by the start of Muster, before it uses a row, a file or the secret", async () => {
    repair();
    await onServer(place.databaseUrl, (client) =>
      client.query("select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))"),
    );
    const worker = spawn(process.execPath, ["--import", "tsx", "server/main.ts", "--role", "worker"], {
      env: { ...process.env, ...getEnvironment(place), NODE_ENV: "production", LOG_LEVEL: "silent" },
      stdio: "ignore",
    });
    const beats = () =>
      onServer(place.databaseUrl, async (client) => (await client.query("select from worker_heartbeats")).rowCount);
    await expect.poll(beats, { timeout: 200_000 }).toBeGreaterThan(0);
    worker.kill("SIGTERM");
    await once(worker, "exit");
    expect(fs.readFileSync(path.join(place.dataDir, "auth-secret"), "utf8")).toBe(secrets.new);
    const root = path.join(place.dataDir, "files");
    for (const key of Object.values(given.keys)) expect(filesOfKey(key, root)).toHaveLength(1);
    expect(leftovers(place)).toEqual([]);
  });

  test("is finished from every point at which it can be interrupted", async () => {
    repair();
    const root = path.join(place.dataDir, "files");
    const staging = path.join(root, leftovers(place)[0] ?? "");
    const at = (name: string) => path.join(staging, name);
    const move = (from: string, to: string, names: string[]) =>
      names.forEach((name) => fs.renameSync(path.join(from, name), path.join(to, name)));
    const arrived = fs.readdirSync(root).filter((name) => !isLeftover(name));
    const departed = fs.readdirSync(at("replaced"));
    const copy = path.join(given.folder, unique("copy"));
    fs.cpSync(place.dataDir, copy, { recursive: true });
    const interruptions = [
      () => move(root, at("files"), arrived.slice(1)),
      () => move(root, at("files"), arrived),
      () => [move(root, at("files"), arrived), fs.renameSync(at("replaced"), at("leaving"))],
      () => [move(root, at("files"), arrived), move(at("replaced"), root, departed), fs.rmdirSync(at("replaced"))],
    ];
    const id = path.basename(staging).slice(".restore-".length);
    for (const interrupt of interruptions) {
      fs.rmSync(place.dataDir, { recursive: true });
      fs.cpSync(copy, place.dataDir, { recursive: true });
      interrupt();
      await onServer(place.databaseUrl, async (client) => {
        await client.query("create schema if not exists muster_restore");
        await client.query(`create table if not exists muster_restore.pending (id) as values ('${id}')`);
      });
      await start(place);
      expect(await readState(place)).toBe(given.states.new);
      expect(leftovers(place)).toEqual([]);
    }
  });

  test("is finished by the next command, whose backup is complete", async () => {
    repair();
    const file = path.join(given.folder, unique("finished"));
    expect(await muster(place, ["db", "backup", file]).ended).toMatchObject({ code: 0 });
    expect(await readState(place)).toBe(given.states.new);
  });

  test("is finished by the next restore, even one that fails", async () => {
    repair();
    const authSecret = "another secret than any of these are";
    await expect(restore(given.backups.old, place, { authSecret })).rejects.toThrow("AUTH_SECRET");
    await expect(restore(given.backups.old, place, { mayReplace: refuse })).rejects.toThrow("not empty");
    await restore(given.backups.old, place);
    expect(await readState(place)).toBe(given.states.old);
    expect(leftovers(place)).toEqual([]);
  });

  test("prevents Muster from starting on another folder, and can be replaced from there", async () => {
    const elsewhere = { ...place, dataDir: path.join(given.folder, unique("elsewhere")) };
    await expect(start(elsewhere)).rejects.toThrow("A restore into this database was interrupted");
    await restore(given.backups.new, elsewhere);
    await start(elsewhere);
    expect(await readState(elsewhere)).toBe(given.states.new);
  });
});
