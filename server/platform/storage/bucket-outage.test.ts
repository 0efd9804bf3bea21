import { once } from "node:events";
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import { metrics } from "@/server/platform/metrics";
import { sealCredentials } from "@/server/platform/storage/bucket-credentials";
import { S3Store } from "@/server/platform/storage/s3";
import { uuidv7 } from "@/server/platform/uid";
import { makeDevice, makeOrganization, unique } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

/** Buckets whose server is unreachable, busy or closes the connection, and one that refuses permanently. */
let handler: RequestListener = (_request, response) => void response.end();
const server = http.createServer((incoming, response) => handler(incoming, response));
let restore = () => {};
let endpointUrl: string;

beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  handler = (_request, response) => void response.end();
});
afterAll(() => {
  restore();
  server.closeAllConnections();
  server.close();
});

const target = {
  bucket: "b",
  region: "r",
  prefix: null,
  accelerated: false,
  keys: { accessKeyId: "a", secretAccessKey: "s" },
  trusted: false,
};
const storeAt = (url: string) => new S3Store({ ...target, endpointUrl: url });
const refusing =
  (status: number, code: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
  };
const unavailable = {
  code: "unavailable",
  options: { retryAfterSeconds: expect.any(Number), detail: expect.stringContaining('The bucket "b" could not be') },
};

test("a store whose server is down is unavailable", async () => {
  const closed = http.createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  await once(closed.close(), "close");
  await expect(storeAt(`http://127.0.0.1:${port}`).readBytes("k", 0, 10)).rejects.toMatchObject(unavailable);
  await expect(storeAt(`http://127.0.0.1:${port}`).head("k")).rejects.toMatchObject(unavailable);
});

test("a store that is busy, or that closes the connection in a response, is unavailable", async () => {
  handler = refusing(503, "SlowDown");
  await expect(storeAt(endpointUrl).readBytes("k", 0, 10)).rejects.toMatchObject(unavailable);
  handler = (_request, response) => {
    response.writeHead(206, { "content-length": 10 });
    response.write("abc");
    // oxlint-disable-next-line no-restricted-globals -- after what was written has arrived
    setTimeout(() => response.destroy(), 50);
  };
  await expect(storeAt(endpointUrl).readBytes("k", 0, 10)).rejects.toMatchObject(unavailable);
});

test("a refusal by the store is invalid input, which the user can fix by choosing another bucket", async () => {
  handler = refusing(403, "AccessDenied");
  const issues = [{ path: ["storage_config_uid"], message: 'The bucket "b" could not be used: AccessDenied (403).' }];
  const invalid = { code: "invalid", options: { issues } };
  await expect(storeAt(endpointUrl).readBytes("k", 0, 10)).rejects.toMatchObject(invalid);
});

test("confirming an upload to an unavailable bucket is 503 with Retry-After, and later 200", async () => {
  const org = await makeOrganization();
  const uid = uuidv7();
  const sealed = sealCredentials({ uid, organizationId: org.uid }, { accessKeyId: "a", secretAccessKey: "s" });
  await prisma.storageConfig.create({
    data: {
      uid,
      organizationId: org.uid,
      name: unique("bucket"),
      provider: "aws_s3",
      bucket: "b",
      region: "r",
      endpointUrl,
      credentialsSealed: sealed,
      isVerified: true,
    },
  });
  const call = <T>(path: string, body: object) => request<T>("POST", path, { key: org.key, body });
  const { uid: device_id } = await makeDevice(org);
  const at = `/fleet/recordings/${(await call<{ uid: string }>("/fleet/recordings/", { device_id })).body.uid}/upload`;
  const upload = { files: [{ path: "a", size_bytes: 3 }], storage_config_uid: uid };
  const init = await call<UploadSessionResource>(`${at}/init/`, upload);
  const session_uid = init.body.uid;
  expect((await call<SignedUrls>(`${at}/urls/`, { session_uid, file_paths: ["a"] })).status).toBe(200);

  const confirmation = { session_uid, files: [{ path: "a", etag: '"e"', size_bytes: 3 }] };
  const confirm = () => call<{ detail: string }>(`${at}/confirm/`, confirmation);
  handler = (_request, response) => void response.destroy();
  const refused = await confirm();
  expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
    503,
    expect.stringMatching(/^[1-9]/),
    { detail: expect.stringContaining('The bucket "b" could not be used') },
  ]);
  handler = (_request, response) => void response.writeHead(200, { "content-length": 3, etag: '"e"' }).end();
  expect((await confirm()).status).toBe(200);
});

test("requests to a bucket are measured by what they do and by their outcome", async () => {
  const labels = (operation: string, outcome: string) => ({ store: "customer", operation, outcome });
  const count = async (wanted: object) => {
    const { values } = await metrics.bucketDuration.get();
    const found = values.find(
      ({ labels: has, metricName }) =>
        metricName?.endsWith("_count") === true &&
        Object.entries(wanted).every(([name, value]) => has[name as "store"] === value),
    );
    return found?.value ?? 0;
  };
  const cases = [labels("read", "failed"), labels("look", "succeeded"), labels("write", "refused")];
  const before = await Promise.all(cases.map(count));
  const store = new S3Store({ ...target, endpointUrl });
  handler = refusing(503, "SlowDown");
  await expect(store.readBytes("k", 0, 10)).rejects.toMatchObject(unavailable);
  handler = refusing(404, "NoSuchKey");
  expect(await store.head("k")).toBeNull();
  handler = refusing(403, "AccessDenied");
  await expect(store.put("k", new Blob(["abc"]).stream(), 3)).rejects.toThrow("403");
  const after = await Promise.all(cases.map(count));
  // The client tries three times what may succeed later.
  expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([3, 1, 1]);
});
