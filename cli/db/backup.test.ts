import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { backup, estimate } from "@/cli/db/backup";
import { computeMark, sumsName } from "@/cli/db/format";
import { restore as restoreVerified, type RestoreTarget } from "@/cli/db/restore";
import { openArchive } from "@/cli/db/source";
import { listTables } from "@/cli/db/tables";
import { readTar } from "@/cli/db/tar";
import { getBackupPartBytes } from "@/cli/db/target";
import { verifyBackup } from "@/cli/db/verify";
import { registerDevice } from "@/server/features/devices/service";
import { deleteRecording } from "@/server/features/recordings/service";
import { migrateDatabase, pendingMigrations } from "@/server/platform/database/migrate";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { jobs } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { enqueue } from "@/server/platform/jobs/queue";
import { logFor } from "@/server/platform/log";
import { int8, nullable, queryRows, text } from "@/server/platform/rows";
import { DiskStore } from "@/server/platform/storage/disk";
import { removeStored } from "@/server/platform/storage/removal";
import { onServer, scratchDatabase } from "@/server/testing/database";
import { makeDevice, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures, uploadRecording } from "@/server/testing/processing";
import { jobIds, removeJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";
import { seedOrganization } from "@/server/testing/seed-organization";

let org: TestOrganization;
let deviceId: string;
let recordings: { uid: string; bytes: Buffer }[];
let folder: string;

beforeAll(async () => {
  org = await makeOrganization();
  await seedOrganization(org, unique("kept"));
  deviceId = (await makeDevice(org)).uid;
  const large = await jsonRecording({ "/temp": temperatures(Array.from({ length: 2_000 }, (_, n) => n % 90)) });
  const small = await jsonRecording({ "/temp": temperatures([1, 2, 3]) });
  recordings = [
    { uid: await processedRecording(org, deviceId, [large]), bytes: large },
    { uid: await uploadRecording(org, deviceId, [small]), bytes: small },
  ];
  // A text that COPY has to escape, and one that fills more than a piece of the archive.
  await prisma.device.update({
    where: { uid: deviceId },
    data: { name: "a\tb\\N\n\\.", metadata: { long: randomBytes(24_000).toString("hex") } },
  });
});
beforeEach(() => {
  folder = path.join(env.DATA_DIR, unique("backup"));
  fs.mkdirSync(folder, { recursive: true });
});

const restore = async (file: string, place: RestoreTarget) => restoreVerified(await verifyBackup(file), place);
const secret = "the secret of the one who was backed up";
const source = (withSecret = true) => ({ databaseUrl: env.DATABASE_URL ?? "", authSecret: secret, withSecret });
async function target(change: Partial<RestoreTarget> = {}): Promise<RestoreTarget> {
  const databaseUrl = await scratchDatabase(inject("testRun"));
  return {
    databaseUrl,
    dataDir: path.join(folder, unique("data")),
    authSecret: undefined,
    mayReplace: () => Promise.resolve(false),
    ...change,
  };
}

/** A digest of an organization's rows for each table of a database. */
async function contents(url: string, organization: TestOrganization): Promise<Record<string, string>> {
  return onServer(url, async (client) => {
    await client.query("set TimeZone = 'UTC'");
    const found: Record<string, string> = {};
    for (const { key, name, columns } of await listTables(client)) {
      if (!columns.includes("organization_id")) continue;
      const [sum] = await queryRows(
        client,
        { count: int8, digest: nullable(text) },
        `select count(*), md5(string_agg(t::text, ' ' order by t::text)) as digest from ${name} t where organization_id = $1`,
        [organization.uid],
      );
      found[key] = `${sum?.count} ${sum?.digest}`;
    }
    return found;
  });
}
const count = (url: string, statement: string): Promise<number> =>
  onServer(url, async (client) => Number((await queryRows(client, { count: int8 }, statement))[0]?.count));

/** Registers devices until the returned function is called, which resolves to their number. */
function keepRegistering(ctx: TestOrganization["ctx"]): () => Promise<number> {
  let running = true;
  const work = (async () => {
    let made = 0;
    for (; running; made++) await registerDevice(ctx, { name: `busy ${made}`, tags: ["one", "two"] });
    return made;
  })();
  return () => {
    running = false;
    return work;
  };
}

describe("a backup", () => {
  test("that is restored has every row and every file, even if rows were written meanwhile", async () => {
    const other = await makeOrganization();
    const stop = keepRegistering(other.ctx);
    const file = path.join(folder, "whole.tar");
    const before = await contents(source().databaseUrl, org);
    const made = await backup(source(), file);
    expect(await stop()).toBeGreaterThan(0);
    expect(made.files).toBeGreaterThanOrEqual(2);
    expect(fs.statSync(file)).toMatchObject({ size: made.bytes, mode: 0o100600 });

    const place = await target();
    await restore(file, place);
    expect(await contents(place.databaseUrl, org)).toEqual(before);
    // Each device registered meanwhile is there with both of its tags, or not at all.
    const tagged = await count(
      place.databaseUrl,
      `select count(*) from device_tags where organization_id = '${other.uid}'`,
    );
    const devices = await count(
      place.databaseUrl,
      `select count(*) from devices where organization_id = '${other.uid}'`,
    );
    expect(tagged).toBe(devices * 2);
    // The kept counts of items are restored, not counted once more while the items are.
    const counted = "select dataset_id, status, annotation_count > 0 as labelled, count(*) from items group by 1, 2, 3";
    const kept =
      "select dataset_id, status, labelled, sum(count) from item_counts group by 1, 2, 3 having sum(count) <> 0";
    expect(await count(place.databaseUrl, `select count(*) from (${counted}) c`)).toBeGreaterThan(0);
    expect(await count(place.databaseUrl, `select count(*) from ((${counted}) except (${kept})) c`)).toBe(0);
    expect(await count(place.databaseUrl, `select count(*) from ((${kept}) except (${counted})) c`)).toBe(0);
    const store = new DiskStore(path.join(place.dataDir, "files"));
    for (const { uid, bytes } of recordings) {
      const [row] = await prisma.storedFile.findMany({ where: { recordingId: uid } });
      const stored = Buffer.from(await store.readBytes(row?.storageKey ?? "", 0, bytes.length + 1));
      expect(stored.equals(bytes)).toBe(true);
      expect(await store.head(row?.storageKey ?? "")).toMatchObject({ etag: row?.etag });
    }
    expect(fs.readFileSync(path.join(place.dataDir, "auth-secret"), "utf8")).toBe(secret);
    expect(fs.statSync(path.join(place.dataDir, "auth-secret")).mode & 0o777).toBe(0o600);
  });

  test("is expected to have the size of the rows, and of the files that it holds", async () => {
    const [rows, all, since] = await onServer(source().databaseUrl, async (client) => [
      await estimate(client, "without_files"),
      await estimate(client, "full"),
      await estimate(client, "since"),
    ]);
    const uploaded = recordings.reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(rows).toBeGreaterThan(1_000_000);
    expect(all).toBeGreaterThanOrEqual((rows ?? 0) + uploaded);
    // An object of the expected size for some of the files has parts for all of them, and their headers.
    const [terabytes, parts] = [4e12, Array.from({ length: 10_000 }, (_, at) => at + 1)];
    const share = ((since ?? 0) - (rows ?? 0)) / ((all ?? 0) - (rows ?? 0));
    expect(share).toBeLessThan(1);
    const room = parts.reduce((sum, number) => sum + getBackupPartBytes(number, share * terabytes), 0);
    expect(room).toBeGreaterThan(1.2 * terabytes);
  });

  test("contains queued jobs, which run again, and new jobs get new numbers", async () => {
    const prefix = `recordings/${unique("queued")}/`;
    await enqueue(org.ctx, jobs.deleteStoredObjects, { prefix });
    const [id = ""] = await jobIds({ prefix });
    await takeJob(id, "w1");
    const file = path.join(folder, "jobs.tar");
    await backup(source(), file);
    await returnJobs("w1");
    await removeJobs([id]);
    const place = await target();
    await restore(file, place);
    await onServer(place.databaseUrl, async (client) => {
      const { rows } = await client.query(`select locked_by from ${queueJobs} j where payload->>'prefix' = $1`, [
        prefix,
      ]);
      expect(rows).toEqual([{ locked_by: null }]);
      await client.query("select graphile_worker.add_job('later'), graphile_worker.add_job('recordings.process')");
      expect(await pendingMigrations(client)).toEqual([]);
    });
    await migrateDatabase(place.databaseUrl, logFor("test"));
  });

  test("contains a file that is deleted while it is made", async () => {
    const bytes = await jsonRecording({ "/temp": temperatures([5, 6]) });
    const uid = await uploadRecording(org, deviceId, [bytes]);
    const [row] = await prisma.storedFile.findMany({ where: { recordingId: uid }, include: { session: true } });
    const file = path.join(folder, "deleted.tar");
    const holding = new pg.Client({ connectionString: env.DATABASE_URL });
    await holding.connect();
    // The backup waits for this lock after its snapshot is taken and before a file is read.
    await holding.query("begin; lock table stored_files in access exclusive mode");
    const making = backup(source(), file);
    const waiting = "select count(*) from pg_locks where relation = 'stored_files'::regclass and not granted";
    await expect.poll(() => count(env.DATABASE_URL ?? "", waiting)).toBe(1);
    await expect(removeStored(row?.session.prefix ?? "")).rejects.toThrow("a backup is being made");
    await holding.end();
    await making;
    await deleteRecording(org.ctx, uid);
    await removeStored(row?.session.prefix ?? "");
    const place = await target();
    await restore(file, place);
    const stored = await new DiskStore(path.join(place.dataDir, "files")).readBytes(row?.storageKey ?? "", 0, 1e6);
    expect(Buffer.from(stored).equals(bytes)).toBe(true);
  });

  test("is not restored over existing data, nor when it is damaged, truncated or another kind of file", async () => {
    const file = path.join(folder, "good.tar");
    await backup(source(), file);
    const place = await target();
    await restore(file, place);
    const before = await contents(place.databaseUrl, org);
    await expect(restore(file, place)).rejects.toThrow("The database is not empty");

    const intact = fs.readFileSync(file);
    const names: string[] = [];
    const handle = await openArchive(file);
    for await (const { name } of readTar(handle)) names.push(name);
    await handle.close();
    expect(names.at(-1)).toBe(sumsName);
    const flipped = (at: number) => {
      expect(at).toBeGreaterThan(0);
      const damaged = Buffer.from(intact);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      return damaged;
    };
    for (const [name, bytes] of [
      ["a file damaged", flipped(intact.indexOf(recordings[0]!.bytes) + 1_000)],
      ["rows damaged", flipped(intact.indexOf(org.uid))],
      ["a name damaged", flipped(intact.indexOf("tables/public.devices/"))],
      ["cut", intact.subarray(0, intact.length - 3_000)],
      ["else", Buffer.from("not an archive".repeat(100))],
      ["nothing", Buffer.alloc(0)],
    ] as const) {
      const bad = path.join(folder, name);
      fs.writeFileSync(bad, bytes);
      await expect(restore(bad, { ...place, mayReplace: () => Promise.resolve(true) }), name).rejects.toThrow(
        /damaged|breaks off|no backup|holds what/,
      );
    }
    expect(await contents(place.databaseUrl, org)).toEqual(before);
    await restore(file, { ...place, mayReplace: () => Promise.resolve(true) });
    expect(await contents(place.databaseUrl, org)).toEqual(before);
  });

  test("made under another AUTH_SECRET is refused, since its sealed values could not be opened", async () => {
    const [own, foreign] = [path.join(folder, "own.tar"), path.join(folder, "foreign.tar")];
    await backup(source(true), own);
    await backup(source(false), foreign);
    const another = "another secret than that one was";
    await expect(restore(own, await target({ authSecret: another }))).rejects.toThrow(
      /AUTH_SECRET is not the one .* fingerprint [0-9a-f]{16}, or none/,
    );
    const place = await target({ authSecret: secret });
    await restore(foreign, place);
    expect(fs.existsSync(path.join(place.dataDir, "auth-secret"))).toBe(false);
  });

  test("without its secret is restored where that is kept, else the missing one is named by its fingerprint", async () => {
    const file = path.join(folder, "without.tar");
    await backup(source(false), file);
    expect(fs.readFileSync(file).includes(secret)).toBe(false);
    const wanted = new RegExp(`fingerprint ${computeMark(secret)} .*auth-secret`);
    await expect(restore(file, await target())).rejects.toThrow(wanted);
    const another = "another secret than that one was";
    await expect(restore(file, await target({ keptSecret: another }))).rejects.toThrow(computeMark(another));
    const place = await target({ keptSecret: secret });
    await restore(file, place);
    expect(fs.existsSync(path.join(place.dataDir, "auth-secret"))).toBe(false);
  });

  test("is not started while another is written, and leaves nothing behind when it fails", async () => {
    const file = path.join(folder, "there.tar");
    fs.writeFileSync(`${file}.part`, "");
    await expect(backup(source(), file)).rejects.toThrow("another backup writes there");
    fs.rmSync(`${file}.part`);
    await expect(backup(source(), path.join(folder, "no", "such", "folder.tar"))).rejects.toThrow("cannot be written");
    await expect(
      backup({ ...source(), databaseUrl: await scratchDatabase(inject("testRun")) }, file),
    ).rejects.toThrow();
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
