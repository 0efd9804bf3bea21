import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { getQuota } from "@/server/features/organizations/quota-service";
import { prisma } from "@/server/platform/db";
import { bucketPrefix } from "@/server/platform/storage/keys";
import { uuidv7 } from "@/server/platform/uid";
import { bundledCommandLine, type CommandLine } from "@/server/testing/command-line";
import { makeDevice, makeOrganization, makeRecording, unique } from "@/server/testing/factories";
import type { TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

let own: TestOrganization;
let device: string;
beforeEach(async () => {
  own = await makeOrganization();
  device = (await makeDevice(own)).uid;
});

const limit = (quotaBytes: bigint | null) =>
  prisma.organization.update({ where: { uid: own.uid }, data: { quotaBytes } });

const toFiles = (bytes: number) => ({ files: [{ path: unique("file"), size_bytes: bytes }] });

async function uploadRecording(bytes: number) {
  const { uid } = await makeRecording(own, device, { status: "uploading" });
  return request("POST", `/fleet/recordings/${uid}/upload/init/`, { key: own.key, body: toFiles(bytes) });
}

async function uploadItems(bytes: number) {
  const made = await request<{ slug: string }>("POST", "/datasets/", {
    key: own.key,
    body: { name: unique("d"), data_type: "image" },
  });
  const path = `/datasets/${own.slug}/${made.body.slug}/upload/init/`;
  return request("POST", path, { key: own.key, body: toFiles(bytes) });
}

/** A session as earlier uploads left it. */
async function stored(totalBytes: bigint, more: object = {}): Promise<void> {
  const { uid: recordingId } = await makeRecording(own, device);
  const session = { uid: uuidv7(), organizationId: own.uid, recordingId, filesHash: "", prefix: "recordings/x/" };
  const sizes = { totalFiles: 2, totalBytes, confirmedFiles: 2, confirmedBytes: totalBytes };
  await prisma.uploadSession.create({ data: { ...session, ...sizes, status: "finalized", ...more } });
}

describe("the quota of an organization", () => {
  test.each([
    { kind: "recording", upload: uploadRecording },
    { kind: "dataset", upload: uploadItems },
  ])("refuses an upload of a $kind that would exceed it, naming quota and use", async ({ upload }) => {
    await stored(9_000n);
    await limit(10_000n);
    const refused = await upload(1_001);
    expect([refused.status, refused.body]).toEqual([
      400,
      { files: ["The quota of this organization is 10,000 bytes. 9,000 are used, and these files have 1,001."] },
    ]);
    expect((await upload(1_000)).status).toBe(201);
    expect((await upload(1)).status).toBe(400);
    await limit(null);
    expect((await upload(1_000_000)).status).toBe(201);
  });

  test("is not exceeded by uploads that begin at the same time", async () => {
    await limit(5_000n);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? uploadRecording : uploadItems)(2_000)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400, 400, 400, 400]);
    expect(await getQuota(own.uid)).toMatchObject({ upload_bytes: 4_000, total_bytes: 4_000, quota_bytes: 5_000 });
  });

  test("answers a repeated beginning of an upload as before, though the quota is used up by it", async () => {
    const { uid } = await makeRecording(own, device, { status: "uploading" });
    await limit(500n);
    const body = toFiles(500);
    const begin = () => request("POST", `/fleet/recordings/${uid}/upload/init/`, { key: own.key, body });
    const [first, second] = [await begin(), await begin()];
    expect([first.status, second.status, second.body.uid]).toEqual([201, 201, first.body.uid]);
  });
});

test("the use counts recordings, datasets, exports and uploads under way, but not the organization's own buckets", async () => {
  await stored(100n);
  await stored(7_000n, { prefix: `${bucketPrefix(uuidv7())}recordings/x/` });
  expect((await uploadRecording(20)).status).toBe(201);
  // Given up: what arrived of it is there until it is removed.
  const given = await makeRecording(own, device, { status: "error" });
  await stored(1_000n, { recordingId: given.uid, status: "active", confirmedBytes: 3n, confirmedFiles: 1 });
  const dataset = { uid: uuidv7(), organizationId: own.uid, name: "d", slug: unique(), dataType: "image" };
  await prisma.dataset.create({ data: { ...dataset, sizeBytes: 4_000n, itemCount: 5 } });
  const bucket = { storageConfigId: uuidv7(), sizeBytes: 9_000n };
  await prisma.dataset.create({ data: { ...dataset, uid: uuidv7(), slug: unique(), ...bucket } });
  const file = { organizationId: own.uid, name: "e", format: "avala-json-external", sizeBytes: 50_000n };
  await prisma.export.createMany({
    data: [
      { ...file, uid: uuidv7(), storageKey: "k", datasets: [], slices: [], projects: [] },
      { ...file, uid: uuidv7(), storageKey: null, datasets: [], slices: [], projects: [] },
    ],
  });
  expect(await getQuota(own.uid)).toEqual({
    recording_bytes: 100,
    dataset_bytes: 4_000,
    export_bytes: 50_000,
    robot_description_bytes: 0,
    upload_bytes: 23,
    total_bytes: 54_123,
    files: 2 + 5 + 1 + 2,
    quota_bytes: null,
  });
});

describe("organizations quota", () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await bundledCommandLine();
  });
  afterAll(() => commandLine.close());
  const muster = (...args: string[]) => commandLine.start(["organizations", "quota", ...args]).ended;

  test("sets, prints and removes it, which the audit log shows", async () => {
    await stored(1_500n);
    const set = await muster(own.slug, "2GB");
    expect([set.code, set.out]).toEqual([
      0,
      `${own.slug} uses 1,500 bytes in 2 files and has a quota of 2,000,000,000 bytes.\n`,
    ]);
    expect((await muster(own.slug, "1000")).err).toContain("It uses more than that");
    expect((await muster(own.slug, "none")).out).toContain("has no quota");
    const entries = await prisma.auditEntry.findMany({
      where: { organizationId: own.uid, action: "organization.quota_changed" },
      orderBy: { uid: "asc" },
    });
    expect(entries.map(({ actorName, after }) => [actorName, after])).toEqual([
      ["command line", { quota_bytes: 2_000_000_000 }],
      ["command line", { quota_bytes: 1_000 }],
      ["command line", { quota_bytes: null }],
    ]);
  });

  test.each([
    ["an unknown organization", "no-such", "5GB", 'There is no organization "no-such".'],
    ["no number", "", "plenty", '"plenty" is not a number of bytes'],
    ["too large a number", "", "99999TB", "is not a number of bytes"],
  ])("refuses %s", async (_what, slug, bytes, message) => {
    const ended = await muster(slug || own.slug, bytes);
    expect([ended.code, ended.out]).toEqual([1, ""]);
    expect(ended.err).toContain(message);
  });
});
