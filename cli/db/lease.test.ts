import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { backup } from "@/cli/db/backup";
import { filesFolder } from "@/cli/db/format";
import { lockBackups } from "@/cli/db/lease";
import type { BackupTarget } from "@/cli/db/target";
import { deleteRecording } from "@/server/features/recordings/service";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { jobs } from "@/server/platform/jobs/definitions";
import { int4, queryRows, text } from "@/server/platform/rows";
import { backupLock, beginBackup, endBackup, isLeased, leaseSeconds } from "@/server/platform/storage/backup-lease";
import { DiskStore } from "@/server/platform/storage/disk";
import { deleteStoredKeys, deleteStoredObjects } from "@/server/platform/storage/jobs";
import { BackupRunning, removeStored } from "@/server/platform/storage/removal";
import { restore } from "@/server/testing/backups";
import { bundledCommandLine } from "@/server/testing/command-line";
import { onServer, scratchDatabase } from "@/server/testing/database";
import { makeDevice, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, runJobs, temperatures, uploadRecording } from "@/server/testing/processing";
import { queuedJobs } from "@/server/testing/queued-jobs";
import { filesOfKey } from "@/server/testing/stored-files";

const commandLine = await bundledCommandLine();
afterAll(() => commandLine.close());
const folder = path.join(env.DATA_DIR, unique("leases"));
const authSecret = "the secret of the one who was backed up";
const source = () => ({ databaseUrl: env.DATABASE_URL ?? "", authSecret, withSecret: true });

let org: TestOrganization;
let deviceId: string;
beforeAll(async () => {
  fs.mkdirSync(folder, { recursive: true });
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
});
beforeEach(() => pool.query("delete from backups"));

async function record(): Promise<{ uid: string; bytes: Buffer; key: string }> {
  // Larger than what lies in buffers between the store and the target.
  const bytes = await jsonRecording({ "/temp": temperatures(Array.from({ length: 20_000 }, (_, n) => n % 90)) });
  const uid = await uploadRecording(org, deviceId, [bytes]);
  const { storageKey: key } = await prisma.storedFile.findFirstOrThrow({ where: { recordingId: uid } });
  return { uid, bytes, key };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Writes a file, and stops where the first stored file begins until it may go on. */
function pausingTarget(place: string): { target: BackupTarget; paused: Promise<void>; goOn: () => void } {
  const [reached, free] = [deferred(), deferred()];
  const file = fs.openSync(place, "w");
  const target: BackupTarget = {
    write: async (bytes) => {
      for await (const chunk of bytes) {
        fs.writeSync(file, chunk);
        if (!Buffer.from(chunk).includes(`${filesFolder}recordings/`)) continue;
        reached.resolve();
        await free.promise;
      }
    },
    publish: () => Promise.resolve(fs.fstatSync(file).size),
    discard: () => Promise.resolve(),
  };
  return { target, paused: reached.promise, goOn: () => free.resolve() };
}

const openTransactions = async (): Promise<number> => {
  const [row] = await queryRows(
    pool,
    { count: int4 },
    "select count(*)::int as count from pg_stat_activity where application_name = 'muster-backup' and xact_start is not null",
  );
  return row?.count ?? -1;
};

test("a recording that is deleted while a backup copies files is in it, and its files go once the backup is made", async () => {
  const { uid, bytes, key } = await record();
  const place = path.join(folder, "copying.tar");
  const { target, paused, goOn } = pausingTarget(place);
  const making = backup(source(), target);
  await paused;
  // No transaction keeps rows that are dead meanwhile.
  expect(await openTransactions()).toBe(0);
  await deleteRecording(org.ctx, uid);
  await runJobs([deleteStoredObjects, deleteStoredKeys]);
  expect(filesOfKey(key)).toHaveLength(1);
  // The removal did not fail: another job does it later.
  const prefix = key.slice(0, key.lastIndexOf("/") + 1);
  const waiting = (await queuedJobs(jobs.deleteStoredObjects)).map(({ payload }) => String(payload["prefix"]));
  expect(waiting.some((each) => prefix.startsWith(each))).toBe(true);
  goOn();
  await making;

  await pool.query(
    "select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs), run_at := now())",
  );
  await runJobs([deleteStoredObjects, deleteStoredKeys]);
  expect(filesOfKey(key)).toEqual([]);
  const restored = { databaseUrl: await scratchDatabase(inject("testRun")), dataDir: path.join(folder, "restored") };
  await restore(place, restored);
  const stored = await new DiskStore(path.join(restored.dataDir, "files")).readBytes(key, 0, bytes.length + 1);
  expect(Buffer.from(stored).equals(bytes)).toBe(true);
  // Neither lease nor backup is still there as one that runs.
  const leases = await onServer(restored.databaseUrl, (client) =>
    client.query("select finished_at, files_until from backups"),
  );
  expect(leases.rows).toEqual([{ finished_at: null, files_until: null }]);
});

test("a backup whose lease ran out meanwhile is not made, since files may have been removed", async () => {
  await record();
  const { target, paused, goOn } = pausingTarget(path.join(folder, "over.tar"));
  let published = false;
  const making = backup(source(), {
    ...target,
    publish: () => {
      published = true;
      return target.publish();
    },
  });
  await paused;
  await pool.query("update backups set files_until = now() - interval '1 second'");
  goOn();
  await expect(making).rejects.toThrow("Make the backup again");
  expect(published).toBe(false);
  expect((await pool.query("select finished_at, files_until from backups")).rows).toEqual([
    { finished_at: null, files_until: null },
  ]);
});

test("a backup that is killed protects files until its lease is over, and its part is refused", async () => {
  const { key } = await record();
  const file = path.join(folder, "killed.tar");
  // The backup has its lease when it comes to this table.
  const holder = await pool.connect();
  await holder.query("begin; lock table devices in access exclusive mode");
  const { child, ended } = commandLine.start(["db", "backup", file]);
  try {
    await expect.poll(() => isLeased(holder)).toBe(true);
  } finally {
    child.kill("SIGKILL");
    await ended;
    await holder.query("rollback");
    holder.release();
  }
  expect(fs.existsSync(file)).toBe(false);
  await expect(restore(`${file}.part`, { databaseUrl: "postgres://nowhere", dataDir: folder })).rejects.toThrow(
    "the file breaks off",
  );
  // Its session has ended, and with it the lock that earlier versions respect.
  const free = "select pg_try_advisory_xact_lock($1) as free";
  await expect.poll(async () => (await pool.query(free, [backupLock])).rows).toEqual([{ free: true }]);
  await expect(removeStored(key)).rejects.toThrow(BackupRunning);
  expect(filesOfKey(key)).toHaveLength(1);
  await pool.query("update backups set files_until = now() - interval '1 second'");
  await removeStored(key);
  expect(filesOfKey(key)).toEqual([]);
});

test("a backup that waits for removals comes before those that begin later", async () => {
  const removing = await pool.connect();
  const waiting = await pool.connect();
  try {
    await removing.query("begin");
    await removing.query("select pg_advisory_xact_lock_shared($1)", [backupLock]);
    const locked = lockBackups(waiting, () => {});
    const queued = "select 1 from pg_locks where locktype = 'advisory' and objid = $1 and not granted";
    await expect.poll(async () => (await pool.query(queued, [backupLock])).rowCount).toBe(1);
    await expect(removeStored("recordings/nobody/nothing")).rejects.toThrow(BackupRunning);
    await removing.query("rollback");
    await locked;
    expect((await waiting.query("show lock_timeout")).rows).toEqual([{ lock_timeout: "0" }]);
  } finally {
    await waiting.query("select pg_advisory_unlock_all()");
    waiting.release();
    removing.release();
  }
});

test("only a complete backup counts as the last one, and the lease of one that failed is over at once", async () => {
  const finished = async () =>
    (await queryRows(pool, { id: text }, "select id from backups where finished_at is not null")).map(({ id }) => id);
  const failing: BackupTarget = {
    write: () => Promise.reject(new Error("no space")),
    publish: () => Promise.resolve(0),
    discard: () => Promise.resolve(),
  };
  await expect(backup(source(), failing)).rejects.toThrow("no space");
  const client = await pool.connect();
  try {
    expect([await finished(), await isLeased(client)]).toEqual([[], false]);
    await backup(source(), path.join(folder, "good.tar"));
    expect([(await finished()).length, await isLeased(client)]).toEqual([1, false]);

    await beginBackup(client, "running", "full");
    const [lease] = await queryRows(
      client,
      { seconds: int4 },
      "select round(extract(epoch from files_until - now()))::int as seconds from backups where id = 'running'",
    );
    expect(lease?.seconds).toBeGreaterThan(leaseSeconds - 60);
    expect(await isLeased(client)).toBe(true);
    await endBackup(client, "running", false);
    expect([(await finished()).length, await isLeased(client)]).toEqual([1, false]);
  } finally {
    client.release();
  }
});
