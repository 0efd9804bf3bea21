import { beforeAll, expect, test } from "vitest";
import { StorageFilters } from "@/domain/storage-configs/schema";
import { recordTest } from "@/server/features/storage-configs/test-service";
import { prisma, transaction } from "@/server/platform/db";
import { bucketPrefix } from "@/server/platform/storage/keys";
import { getStorageOverview, listStorageOverviews } from "@/server/read-models/storage/storage-list";
import { getStorageUsage } from "@/server/read-models/storage/storage-usage";
import {
  addMember,
  makeDevice,
  makeOrganization,
  makeRecording,
  unique,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

/** A connected bucket, without a store behind it. */
async function makeBucket(more: { name?: string; provider?: string; organizationId?: string } = {}): Promise<string> {
  const uid = crypto.randomUUID();
  await prisma.storageConfig.create({
    data: {
      uid,
      organizationId: org.uid,
      name: unique("bucket"),
      provider: "aws_s3",
      bucket: "fleet-bucket",
      credentialsSealed: "-",
      ...more,
    },
  });
  return uid;
}

const makeDataset = (storageConfigId: string, more: object = {}) =>
  prisma.dataset.create({
    data: {
      uid: crypto.randomUUID(),
      organizationId: org.uid,
      name: unique("dataset"),
      slug: unique(),
      dataType: "image",
      storageConfigId,
      itemCount: 3,
      sizeBytes: 3_000,
      ...more,
    },
  });

async function makeRecordingFiles(bucket: string, confirmed: number): Promise<void> {
  const { uid: deviceId } = await makeDevice(org);
  const { uid: recording } = await makeRecording(org, deviceId);
  const session = crypto.randomUUID();
  await prisma.uploadSession.create({
    data: {
      uid: session,
      organizationId: org.uid,
      recordingId: recording,
      filesHash: "",
      prefix: "",
      totalFiles: 0,
      totalBytes: 0n,
    },
  });
  for (let at = 0; at < confirmed + 1; at++) {
    await prisma.storedFile.create({
      data: {
        uid: crypto.randomUUID(),
        organizationId: org.uid,
        sessionId: session,
        recordingId: recording,
        path: `${at}`,
        storageKey: `${bucketPrefix(bucket)}recordings/${org.uid}/${recording}/${at}`,
        sizeBytes: 100,
        ...(at < confirmed && { confirmedAt: new Date() }),
      },
    });
  }
}

test("a bucket's row counts its datasets, recordings and exports, and what they hold", async () => {
  const [uid, empty] = [await makeBucket(), await makeBucket()];
  const dataset = await makeDataset(uid);
  await makeDataset(uid, { access: "assigned", itemCount: 1, sizeBytes: 10 });
  await makeRecordingFiles(uid, 2);
  await prisma.export.create({
    data: {
      uid: crypto.randomUUID(),
      organizationId: org.uid,
      name: "e",
      format: "avala-json-external",
      storageConfigId: uid,
      storageKey: "k",
      sizeBytes: 7,
      datasets: [dataset.uid],
      projects: [],
      slices: [],
    },
  });
  const admins = await getStorageOverview(org.ctx, uid);
  expect(admins).toMatchObject({
    used_by: { datasets: 2, recordings: 1, exports: 1 },
    objects: 7,
    bytes: 3_217,
    last: null,
  });
  const member = await addMember(org, "member");
  expect(await createTrpcCaller(org, member).storage.usage({ uid })).toEqual({
    datasets: [{ uid: dataset.uid, name: dataset.name, items: 3, bytes: 3_000 }],
    dataset_count: 1,
    recordings: 1,
    exports: 1,
    objects: 6,
    bytes: 3_207,
  });
  expect(await getStorageOverview(org.ctx, empty)).toMatchObject({ objects: 0, bytes: 0 });
});

test("a bucket's row has its last test, and the list is filtered by it, by provider and by name", async () => {
  const [bad, good, untested] = [await makeBucket(), await makeBucket(), await makeBucket({ provider: "gc_storage" })];
  const check = (ok: boolean) =>
    ({ name: "write", ok, ms: 3, field: null, message: ok ? null : "No.", permission: null }) as const;
  await transaction(org.ctx, async (tx) => {
    await recordTest(tx, bad, "daily", [check(false)]);
    await recordTest(tx, good, "daily", [check(true)]);
  });
  expect(await getStorageOverview(org.ctx, bad)).toMatchObject({
    last: { passed: false, checks: [check(false)] },
    failing_since: expect.any(String) as string,
  });
  const list = async (filters: object) =>
    (await listStorageOverviews(org.ctx, StorageFilters.parse(filters))).results.map(({ uid }) => uid);
  expect(await list({ state: "failing" })).toEqual([bad]);
  expect(await list({ state: "working" })).toEqual([good]);
  expect(await list({ provider: "gc_storage" })).toEqual([untested]);
  const named = await makeBucket({ name: "Yard 100%_x" });
  expect(await list({ search: "d 100%_" })).toEqual([named]);
  expect(await list({ search: "100%%" })).toEqual([]);
  const other = await makeOrganization();
  const foreign = await makeBucket({ organizationId: other.uid });
  expect(await list({})).not.toContain(foreign);
  await expect(getStorageUsage(org.ctx, foreign)).rejects.toMatchObject({ code: "not_found" });
});
