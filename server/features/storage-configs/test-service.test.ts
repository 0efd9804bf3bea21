import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { retainedTests } from "@/domain/storage-configs/checks";
import type { CreateStorageConfig } from "@/domain/storage-configs/schema";
import type { StorageCheck, StorageConfigResource, Verification } from "@/server/features/storage-configs/resource";
import { createStorageConfig, deleteStorageConfig } from "@/server/features/storage-configs/service";
import {
  listStorageTests,
  recordTest,
  sweepBucketTests,
  testStorageConfig,
  tryBucket,
} from "@/server/features/storage-configs/test-service";
import { prisma, transaction } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { configureEgress } from "@/server/platform/http-client/settings";
import { jobs } from "@/server/platform/jobs/definitions";
import { processWide } from "@/server/platform/process-wide";
import { onChange } from "@/server/platform/realtime/changes";
import { startListening } from "@/server/testing/changes";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startGcsServer, type GcsServer } from "@/server/testing/gcs-server";
import { runQueuedJobs } from "@/server/testing/queued-jobs";
import { requestsWith } from "@/server/testing/requests";
import { s3Permissions, startS3Bucket, type S3BucketServer, type S3Permission } from "@/server/testing/s3-bucket";

let org: TestOrganization;
let s3: S3BucketServer;
let gcs: GcsServer;
let restore = () => {};
const settings = processWide<{ GCS_ENDPOINT?: string | undefined }>("env", () => ({}));
const endpointBefore = env.GCS_ENDPOINT;
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [org, s3, gcs] = await Promise.all([makeOrganization(), startS3Bucket(), startGcsServer()]);
  settings.GCS_ENDPOINT = gcs.url;
});
afterAll(async () => {
  restore();
  settings.GCS_ENDPOINT = endpointBefore;
  await Promise.all([s3.close(), gcs.close()]);
});
beforeEach(() => s3.respondWith(null));

const call = requestsWith(() => org.key);
const permit = (...permissions: S3Permission[]): string => {
  const id = unique("AKID");
  s3.keys.set(id, { secret: "secret", permissions });
  return id;
};
const without = (...lacking: S3Permission[]) => permit(...s3Permissions.filter((each) => !lacking.includes(each)));
const inS3 = (more: Partial<CreateStorageConfig> = {}): CreateStorageConfig => ({
  name: unique("bucket"),
  provider: "aws_s3",
  s3_bucket_name: s3.bucket,
  s3_bucket_region: s3.region,
  s3_bucket_prefix: "ours/",
  s3_access_key_id: "AKIDTEST",
  s3_secret_access_key: "a secret access key",
  s3_endpoint_url: s3.url,
  ...more,
});
const withKey = (id: string) => ({ s3_access_key_id: id, s3_secret_access_key: "secret" });
const inGcs = (): CreateStorageConfig => ({
  name: unique("bucket"),
  provider: "gc_storage",
  gc_storage_bucket_name: gcs.bucket,
  gc_storage_auth_json_content: gcs.keyFile,
});
const connect = (input = inS3()) => createStorageConfig(org.ctx, undefined, input);

/** What failed, by step, and the steps that were not tried. */
const failures = ({ checks }: { checks: StorageCheck[] }) => ({
  failed: Object.fromEntries(
    checks.filter(({ ok }) => ok === false).map(({ name, field, permission }) => [name, permission ?? field]),
  ),
  untried: checks.filter(({ ok }) => ok === null).map(({ name }) => name),
});
const rest = ["list", "write", "read", "delete", "multipart"];

test("everything that Muster does in a bucket is tried, and nothing stays in it", async () => {
  for (const input of [inS3(), inGcs()]) {
    const { verified, checks } = await tryBucket(input);
    expect([verified, failures({ checks })]).toEqual([true, { failed: {}, untried: [] }]);
    expect(checks.every(({ ms }) => ms !== null)).toBe(true);
  }
  expect([s3.objects.size, s3.openUploads(), gcs.objects.size, gcs.openUploads()]).toEqual([0, 0, 0, 0]);
  expect(s3.asked.filter((line) => line.startsWith("PUT "))[0]).toMatch(/^PUT ours\/muster-test\/[\w-]+$/);
});

test.each<[string, S3Permission[], Record<string, string>]>([
  [
    "read only",
    ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
    { write: "s3:PutObject", delete: "s3:DeleteObject", multipart: "s3:PutObject" },
  ],
  ["without listing", ["s3:ListBucket"], { list: "s3:ListBucket" }],
  ["without reading", ["s3:GetObject"], { read: "s3:GetObject" }],
  ["without deleting", ["s3:DeleteObject"], { delete: "s3:DeleteObject" }],
  ["without aborting uploads", ["s3:AbortMultipartUpload"], { multipart: "s3:AbortMultipartUpload" }],
  ["without listing uploads", ["s3:ListBucketMultipartUploads"], { multipart: "s3:ListBucketMultipartUploads" }],
])("the missing permission of each step is named, of credentials %s", async (_, lacking, failed) => {
  const open = s3.openUploads();
  const tried = await tryBucket(inS3(withKey(without(...lacking))));
  expect(failures(tried).failed).toEqual(failed);
  // What may not be aborted is the one upload that stays open.
  expect(s3.openUploads() - open).toBe(failed.multipart === "s3:AbortMultipartUpload" ? 1 : 0);
  expect(tried.verified).toBe(!lacking.includes("s3:ListBucket"));
  s3.objects.clear();
});

test("an object that cannot be deleted again is named", async () => {
  const { checks } = await tryBucket(inS3(withKey(without("s3:DeleteObject"))));
  const [name] = s3.objects.keys();
  s3.objects.clear();
  expect(checks.find(({ ok }) => ok === false)).toMatchObject({
    name: "delete",
    message: `This access key may not delete objects. The object ${name} stays there.`,
  });
});

test("a bucket that cannot be used names the field at fault, and nothing else is tried", async () => {
  const wrong = async (more: Partial<CreateStorageConfig>) => failures(await tryBucket(inS3(more)));
  expect(await wrong({ s3_bucket_region: "us-east-9" })).toEqual({
    failed: { reach: "s3_bucket_region" },
    untried: rest,
  });
  expect(await wrong({ s3_bucket_name: "another" })).toEqual({ failed: { reach: "s3_bucket_name" }, untried: rest });
  expect(await wrong({ s3_endpoint_url: "http://127.0.0.1:65500" })).toEqual({
    failed: { reach: "s3_endpoint_url" },
    untried: rest,
  });
  const elsewhere = await tryBucket({ ...inGcs(), gc_storage_bucket_name: "elsewhere" });
  expect(failures(elsewhere)).toEqual({ failed: { reach: "gc_storage_bucket_name" }, untried: rest });
});

test("a service account that may only read is refused what it may not, each with its permission", async () => {
  for (const method of ["PUT", "DELETE", "POST"])
    gcs.fault((request) => request.method === method && request.url !== "/token", { status: 403 });
  expect(failures(await tryBucket(inGcs())).failed).toEqual({
    write: "storage.objects.create",
    delete: "storage.objects.delete",
    multipart: "storage.objects.create",
  });
});

test.each<[string, () => Buffer | undefined, string]>([
  ["other bytes", () => Buffer.from("something"), "The object that was read is not the one that was written."],
  ["no object", () => undefined, "The object that was written is not there."],
])("reading fails on %s, and the rest is tried all the same", async (_, read, message) => {
  const real = s3.objects.get.bind(s3.objects);
  s3.objects.get = read;
  const tried = await tryBucket(inS3()).finally(() => (s3.objects.get = real));
  expect(failures(tried)).toEqual({ failed: { read: "s3_bucket_name" }, untried: [] });
  expect(tried.checks.find(({ name }) => name === "read")?.message).toBe(message);
  expect(s3.objects.size).toBe(0);
});

test("of a bucket that is lost while its object is read, the object that stays there is named", async () => {
  const real = s3.objects.get.bind(s3.objects);
  s3.objects.get = () => {
    throw new Error("The connection ends here.");
  };
  const { checks } = await tryBucket(inS3()).finally(() => (s3.objects.get = real));
  const [name] = s3.objects.keys();
  s3.objects.clear();
  expect(failures({ checks }).untried).toEqual(["delete", "multipart"]);
  expect(checks.find(({ ok }) => ok === false)?.message).toContain(`The object ${name} stays there.`);
});

test("each result is stored, the newest are retained, and open pages are notified", async () => {
  const { uid } = await connect();
  const notified: string[] = [];
  const stopListening = await startListening();
  const stop = onChange(org.uid, {
    onChange: ({ kind, uid: of }) => of === uid && notified.push(kind),
    onGap: () => {},
  });
  await testStorageConfig(org.ctx, uid);
  await expect.poll(() => notified).toContain("storage_config");
  stop();
  await stopListening();
  const { results } = await listStorageTests(org.ctx, { uid, limit: 10 });
  expect(results.map(({ origin, passed, by_name }) => [origin, passed, by_name])).toEqual([
    ["by_hand", true, org.owner.username],
    ["connected", true, org.owner.username],
  ]);
  await transaction(org.ctx, async (tx) => {
    for (let at = 0; at <= retainedTests; at++) await recordTest(tx, uid, "daily", results[0]!.checks);
  });
  expect(await prisma.storageTest.count({ where: { storageConfigId: uid } })).toBe(retainedTests);
  const newest = await listStorageTests(org.ctx, { uid, limit: 1 });
  expect(newest.results[0]?.origin).toBe("daily");
});

test("a bucket is tested once a day: since when it fails is kept until a test finds nothing", async () => {
  const { uid } = await connect();
  const other = await connect();
  const row = () => prisma.storageConfig.findUniqueOrThrow({ where: { uid } });
  expect([(await row()).failingSince, (await row()).isVerified]).toEqual([null, true]);
  await sweepBucketTests();
  expect(await runQueuedJobs(jobs.testBucket, { configUid: uid })).toBe(0);

  const yesterday = new Date(Date.now() - 86_400_000);
  const dayPasses = () => prisma.storageConfig.update({ where: { uid }, data: { testedAt: yesterday } });
  const nextDay = async () => {
    await dayPasses();
    await sweepBucketTests();
    expect(await runQueuedJobs(jobs.testBucket, { configUid: uid })).toBe(1);
  };
  s3.respondWith((response) => response.writeHead(403).end("<Error><Code>InvalidAccessKeyId</Code></Error>"));
  await nextDay();
  const since = (await row()).failingSince;
  expect([since !== null, (await row()).isVerified]).toEqual([true, false]);
  await nextDay();
  expect((await row()).failingSince).toEqual(since);
  s3.respondWith(null);
  await nextDay();
  expect([(await row()).failingSince, (await row()).isVerified]).toEqual([null, true]);
  expect((await listStorageTests(org.ctx, { uid, limit: 10 })).results.map(({ origin }) => origin)).toEqual([
    "daily",
    "daily",
    "daily",
    "connected",
  ]);
  await dayPasses();
  await prisma.organization.update({ where: { uid: org.uid }, data: { deletesAt: new Date(Date.now() + 1_000_000) } });
  await sweepBucketTests();
  await prisma.organization.update({ where: { uid: org.uid }, data: { deletesAt: null } });
  expect(await runQueuedJobs(jobs.testBucket, { configUid: uid })).toBe(0);
  await sweepBucketTests();
  await deleteStorageConfig(org.ctx, uid);
  expect(await runQueuedJobs(jobs.testBucket, { configUid: uid })).toBe(1);
  await deleteStorageConfig(org.ctx, other.uid);
});

test("credentials are replaced only by ones that do what the old ones did", async () => {
  const { uid } = await connect();
  const change = (body: object) =>
    call<StorageConfigResource & Record<string, string[]>>("PATCH", `/storage-configs/${uid}/`, body);
  const works = async () => failures((await call<Verification>("POST", `/storage-configs/${uid}/test/`)).body).failed;
  const refused = await change(withKey(without("s3:PutObject")));
  expect([refused.status, refused.body]).toEqual([
    400,
    { s3_access_key_id: ["This access key may not write objects.", "This access key may not upload in parts."] },
  ]);
  expect((await change({ ...withKey("AKIDNONE") })).body).toEqual({
    s3_access_key_id: ["This access key does not exist."],
  });
  expect((await change({ s3_secret_access_key: "wrong" })).body).toEqual({
    s3_secret_access_key: ["This is not the secret of the access key."],
  });
  expect((await change({ gc_storage_auth_json_content: "{}" })).status).toBe(200);
  expect(await works()).toEqual({});

  // Of a key whose secret changed, the secret alone is enough.
  const id = unique("AKID");
  s3.keys.set(id, { secret: "first", permissions: s3Permissions });
  expect((await change({ s3_access_key_id: id, s3_secret_access_key: "first" })).status).toBe(200);
  s3.keys.set(id, { secret: "second", permissions: s3Permissions });
  expect(await works()).toEqual({ reach: "s3_secret_access_key" });
  expect((await change({ s3_secret_access_key: "second" })).status).toBe(200);
  expect(await works()).toEqual({});

  const next = permit(...s3Permissions);
  s3.keys.delete(id);
  expect(await works()).toEqual({ reach: "s3_access_key_id" });
  const replaced = await change({ name: "Yard", ...withKey(next) });
  expect([replaced.status, replaced.body.name, replaced.body.is_verified]).toEqual([200, "Yard", true]);
  expect(await works()).toEqual({});

  // A bucket that is meant to be read only stays so.
  const readOnly = await connect(inS3(withKey(without("s3:PutObject"))));
  const rotated = await call("PATCH", `/storage-configs/${readOnly.uid}/`, withKey(without("s3:PutObject")));
  expect(rotated.status).toBe(200);
  const entry = await prisma.auditEntry.findFirst({
    where: { targetId: uid, action: "storage_config.updated" },
    orderBy: { uid: "desc" },
  });
  expect(entry?.after).toEqual({ name: "Yard", credentials: "replaced" });
});

test("members read a bucket and its tests, and change and try nothing", async () => {
  const { uid } = await connect();
  const member = await addMember(org, "member");
  const as = (method: "GET" | "PATCH" | "POST", path: string, body?: object) => call(method, path, body, member.key);
  expect((await as("GET", "/storage-configs/")).status).toBe(200);
  expect((await as("PATCH", `/storage-configs/${uid}/`, { name: "x" })).status).toBe(403);
  expect((await as("POST", `/storage-configs/${uid}/test/`)).status).toBe(403);
});
