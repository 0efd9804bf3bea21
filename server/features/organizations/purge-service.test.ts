import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clearDeleted } from "@/server/features/health/clear-service";
import { batchSizes, purgeOrganization, sweepDeletions } from "@/server/features/organizations/purge-service";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { configureEgress } from "@/server/platform/http-client/settings";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { int4, queryRows, text } from "@/server/platform/rows";
import { backupLock } from "@/server/platform/storage/backup-lease";
import { sealCredentials } from "@/server/platform/storage/bucket-credentials";
import { objectStore } from "@/server/platform/storage/current";
import { bucketPrefix } from "@/server/platform/storage/keys";
import { diskStore } from "@/server/platform/storage/own";
import { uuidv7 } from "@/server/platform/uid";
import { makeDevice, makeOrganization, makeRecording, unique, type TestOrganization } from "@/server/testing/factories";
import { startGcsServer, type GcsServer } from "@/server/testing/gcs-server";
import { jobIds, queuedJobs, removeJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";
import { seedOrganization, type Seeded } from "@/server/testing/seed-organization";

const settings = processWide<{ GCS_ENDPOINT?: string | undefined }>("env", () => ({}));
const endpoint = env.GCS_ENDPOINT;
let restoreEgress = () => {};
let gcs: GcsServer;
let own: TestOrganization;
let mark: string;
let seeded: Seeded;
beforeAll(async () => {
  restoreEgress = configureEgress({ allow: ["127.0.0.0/8"] });
  gcs = await startGcsServer();
});
beforeEach(async () => {
  settings.GCS_ENDPOINT = gcs.url;
  mark = unique("gone");
  own = await makeOrganization({ name: mark });
  seeded = await seedAll(own, mark);
});
afterEach(() => void (settings.GCS_ENDPOINT = endpoint));
afterAll(async () => {
  restoreEgress();
  await gcs.close();
});

/** An organization with a row in every table, and a bucket. */
async function seedAll(organization: TestOrganization, text: string): Promise<Seeded> {
  const made = await seedOrganization(organization, text);
  const { device, recording, event, storageConfig: uid } = made.by;
  const organizationId = organization.uid;
  const where = { organizationId };
  await prisma.uploadSession.updateMany({ where, data: { prefix: `recordings/${organizationId}/r/` } });
  await prisma.deviceStatusChange.create({
    data: { uid: uuidv7(), organizationId, deviceId: device, status: "offline", reason: text },
  });
  await prisma.deviceFirmwareChange.create({
    data: { uid: uuidv7(), organizationId, deviceId: device, before: text, after: text },
  });
  await prisma.eventTag.create({ data: { organizationId, tag: text, timestampNs: 1n, eventId: event } });
  await prisma.recordingTag.create({ data: { organizationId, tag: text, recordingId: recording } });
  await prisma.webhookHour.create({
    data: { organizationId, subscriptionId: made.by.webhook, hour: new Date(), ok: true, bucket: 0, count: 1 },
  });
  await prisma.webhookReplay.create({
    data: { uid: uuidv7(), organizationId, subscriptionId: made.by.webhook, total: 1 },
  });
  await prisma.queryTurn.create({ data: { organizationId, position: 1n, keptUntil: new Date(8.64e12) } });
  await prisma.storageTest.create({
    data: {
      uid: uuidv7(),
      organizationId,
      storageConfigId: uid,
      origin: "daily",
      byName: text,
      passed: true,
      checks: [],
    },
  });
  await prisma.retentionRun.create({ data: { organizationId } });
  const { id } = await prisma.metricName.create({ data: { organizationId, name: text } });
  const list = await prisma.metricList.create({ data: { organizationId, names: [id] } });
  await prisma.device.update({ where: { uid: device }, data: { metricList: list.id } });
  await prisma.metricMeaning.create({ data: { organizationId, name: text, deviceType: "" } });
  const signals = { organizationId, recordingId: recording, sizeBytes: 5n };
  await prisma.signalSet.create({ data: { ...signals, prefix: `recordings/${organizationId}/r/signals/`, files: 1 } });
  const filmKey = `filmstrips/${organizationId}/${recording}/${uuidv7()}`;
  await prisma.filmstrip.create({ data: { ...signals, storageKey: filmKey } });
  const storageKey = `recordings/${organizationId}/r/signals/${uuidv7()}.parquet`;
  await prisma.signalFile.create({ data: { ...signals, topic: text, storageKey, rowCount: 1n, etag: "" } });
  const seriesKey = `recordings/${organizationId}/r/series/1-1`;
  await prisma.seriesPack.create({ data: { ...signals, storageKey: seriesKey, etag: "", index: Buffer.from("[]") } });
  const quiet = { ruleIds: [], results: [], durationMs: 1 };
  await prisma.quietEvaluations.create({
    data: { organizationId, recordingId: recording, deviceId: device, ...quiet },
  });
  await prisma.savedQuery.create({
    data: { uid: uuidv7(), organizationId, name: text, sql: "select 1", createdByName: text },
  });
  await prisma.recordingEventType.create({ data: { organizationId, type: text, recordingId: recording } });
  const credentialsSealed = sealCredentials({ uid, organizationId }, { serviceAccount: gcs.keyFile });
  await prisma.storageConfig.update({
    where: { uid },
    data: { provider: "gc_storage", bucket: gcs.bucket, prefix: "ours", credentialsSealed },
  });
  return made;
}

const setTime = (organization: TestOrganization, days: number) =>
  prisma.organization.update({
    where: { uid: organization.uid },
    data: { deletesAt: new Date(Date.now() + days * 86_400_000) },
  });

/** Runs the job of an organization's deletion as a worker does. */
async function purge(
  organization: TestOrganization,
  { lastAttempt = false, signal = new AbortController().signal } = {},
) {
  await sweepDeletions();
  const [job] = await queuedJobs(jobs.deleteOrganization, { organizationId: organization.uid });
  const worker = unique("worker");
  const attempt = job ? await takeJob(job.id, worker) : { jobId: "0", attempt: 0 };
  try {
    return await purgeOrganization(organization.uid, { attempt, lastAttempt, signal, log: logFor("test") });
  } finally {
    await returnJobs(worker);
    if (job) await removeJobs([job.id]);
  }
}

const listTables = (condition: string) =>
  queryRows(
    pool,
    { name: text },
    `select t.table_name::text as name from information_schema.tables t
     where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and ${condition} order by 1`,
  );
const ofOrganizations = `exists (select from information_schema.columns c
  where c.table_schema = t.table_schema and c.table_name = t.table_name and c.column_name = 'organization_id')`;

/** How many rows an organization has in each table that names one. */
async function countRows({ uid }: TestOrganization): Promise<Record<string, number>> {
  const counts = (await listTables(ofOrganizations)).map(
    ({ name }) => `select '${name}' as name, count(*)::int as count from "${name}" where organization_id = $1`,
  );
  const rows = await queryRows(pool, { name: text, count: int4 }, counts.join(" union all "), [uid]);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** The tables with a row in which the text occurs. */
async function findText(wanted: string): Promise<string[]> {
  const searches = (await listTables("true")).map(
    ({ name }) => `select '${name}' as name where exists (select from "${name}" t where t::text like $1)`,
  );
  return (await queryRows(pool, { name: text }, searches.join(" union all "), [`%${wanted}%`])).map(({ name }) => name);
}

const store = async (key: string) => {
  await objectStore().put(key, new Blob(["bytes"]).stream(), 5);
  return key;
};

/** Stores a file of each kind on disk, and in the organization's bucket. */
const storeFiles = ({ uid }: TestOrganization, { by }: Seeded) =>
  Promise.all(
    ["", bucketPrefix(by.storageConfig)].flatMap((at) =>
      [`recordings/${uid}/r/${uuidv7()}`, `datasets/${uid}/d/${uuidv7()}`, `exports/${uid}/${uuidv7()}`].map((key) =>
        store(`${at}${key}`),
      ),
    ),
  );

/** How many of these files are there, without asking a bucket whose configuration is gone. */
async function countFiles(keys: readonly string[]): Promise<number> {
  const inGcs = [...gcs.objects.keys()];
  const found = await Promise.all(
    keys.map(async (key) => {
      const name = key.split("/").slice(2).join("/");
      return key.startsWith("bucket/")
        ? inGcs.some((each) => each.endsWith(name))
        : (await diskStore().head(key)) !== null;
    }),
  );
  return found.filter(Boolean).length;
}

describe("an organization whose time has come", () => {
  test("leaves no row in any table and no file, and another organization has all of its own", async () => {
    const other = await makeOrganization();
    const [files, others] = await Promise.all([
      storeFiles(own, seeded),
      storeFiles(other, await seedAll(other, unique("stays"))),
    ]);
    expect([await countFiles(files), await countFiles(others)]).toEqual([6, 6]);
    const [before, othersBefore] = await Promise.all([countRows(own), countRows(other)]);
    // A table without a row here would be none that this test guarantees anything about.
    const empty = Object.keys(before).filter((table) => before[table] === 0);
    expect(empty).toEqual([]);

    const { number } = await prisma.device.findUniqueOrThrow({ where: { uid: seeded.by.device } });
    await setTime(own, -1);
    const freed = await purge(own);
    // What its devices have sent is cleared by another job.
    expect(await prisma.metricClearing.count({ where: { device: number } })).toBe(1);
    await clearDeleted(new AbortController());
    expect(freed).toMatchObject({ recordings: 1, devices: before["devices"], items: before["items"] });

    expect(Object.entries(await countRows(own)).filter(([, count]) => count > 0)).toEqual([]);
    expect(await findText(own.uid)).toEqual([]);
    // Accounts stay; they are not the organization's.
    expect((await findText(mark)).filter((table) => table !== "users")).toEqual([]);
    expect(await countRows(other)).toEqual(othersBefore);
    expect([await countFiles(files), await countFiles(others)]).toEqual([0, 6]);
  });

  test("stays complete while its owner can still take the deletion back", async () => {
    const files = await storeFiles(own, seeded);
    const before = await countRows(own);
    await setTime(own, 1);
    expect(await purge(own)).toBeNull();
    await prisma.organization.update({ where: { uid: own.uid }, data: { deletesAt: null } });
    expect(await purge(own)).toBeNull();
    expect(await countRows(own)).toEqual(before);
    expect(await countFiles(files)).toBe(6);
  });

  test("is deleted by the next attempt where an earlier one was killed, and every byte is counted once", async () => {
    const device = await makeDevice(own);
    const count = batchSizes.withFiles * 2;
    for (let n = 0; n < count; n++) await makeRecording(own, device.uid, { sizeBytes: 1_000n });
    const { _sum: sum } = await prisma.recording.aggregate({
      where: { organizationId: own.uid },
      _sum: { sizeBytes: true },
    });
    const items = await prisma.item.aggregate({
      where: { dataset: { organizationId: own.uid } },
      _sum: { sizeBytes: true },
    });
    const exported = await prisma.export.aggregate({ where: { organizationId: own.uid }, _sum: { sizeBytes: true } });
    const robots = await prisma.robotDescription.aggregate({
      where: { organizationId: own.uid },
      _sum: { sizeBytes: true },
    });
    await setTime(own, -1);
    // The attempt ends after any number of batches.
    for (let batches = 1; batches <= 3; batches++) {
      let checks = batches * 3;
      const signal = Object.assign(new AbortController().signal, {
        throwIfAborted: () => {
          if (checks-- <= 0) throw new Error("killed");
        },
      });
      await expect(purge(own, { signal })).rejects.toThrow("killed");
    }
    const freed = await purge(own);
    expect(freed?.["recordings"]).toBe(count + 1);
    expect(freed?.["bytes"]).toBe(
      Number([sum, items._sum, exported._sum, robots._sum].reduce((all, { sizeBytes }) => all + (sizeBytes ?? 0n), 0n)),
    );
    expect(await findText(own.uid)).toEqual([]);
  });

  test("waits for a backup, which needs its files", async () => {
    const files = await storeFiles(own, seeded);
    await setTime(own, -1);
    const client = await pool.connect();
    try {
      await client.query("select pg_advisory_lock($1)", [backupLock]);
      await expect(purge(own)).rejects.toThrow("a backup is being made");
      expect(await countFiles(files)).toBe(6);
    } finally {
      await client.query("select pg_advisory_unlock($1)", [backupLock]);
      client.release();
    }
    expect(await purge(own)).not.toBeNull();
    expect(await countFiles(files)).toBe(0);
  });

  test("is deleted in the last attempt although its bucket cannot be reached", async () => {
    await setTime(own, -1);
    await prisma.storageConfig.update({
      where: { uid: seeded.by.storageConfig },
      data: { credentialsSealed: "of another secret" },
    });
    await expect(purge(own)).rejects.toThrow();
    expect(await prisma.organization.count({ where: { uid: own.uid } })).toBe(1);
    expect(await purge(own, { lastAttempt: true })).not.toBeNull();
    expect(await findText(own.uid)).toEqual([]);
  });

  test("takes its waiting jobs along", async () => {
    const payload = { organizationId: own.uid, deviceId: seeded.by.device };
    await enqueue({ db: prisma }, jobs.endMaintenance, payload, { runAt: new Date("2099-01-01") });
    await setTime(own, -1);
    await purge(own);
    expect(await jobIds({ organizationId: own.uid })).toEqual([]);
  });

  test("frees its name, unless that is an account's as well", async () => {
    await prisma.nameClaim.update({ where: { name: own.owner.username }, data: { organizationId: own.uid } });
    await setTime(own, -1);
    await purge(own);
    expect(await prisma.nameClaim.findUnique({ where: { name: own.slug } })).toBeNull();
    expect(await prisma.nameClaim.findUnique({ where: { name: own.owner.username } })).toMatchObject({
      userId: own.owner.uid,
      organizationId: null,
    });
  });
});
