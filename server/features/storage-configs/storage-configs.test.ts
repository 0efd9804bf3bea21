import { generateKeyPairSync, createVerify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SetupInfo, StorageConfigResource, Verification } from "@/server/features/storage-configs/resource";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { configureEgress } from "@/server/platform/http-client/settings";
import type { Page } from "@/server/platform/pagination";
import { processWide } from "@/server/platform/process-wide";
import { readServiceAccount } from "@/server/platform/storage/gcs-client";
import { addMember, makeKey, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startReceiver, type Received } from "@/server/testing/receiver";
import { requestsWith } from "@/server/testing/requests";
import { startS3Bucket, type S3BucketServer } from "@/server/testing/s3-bucket";

let org: TestOrganization;
let store: S3BucketServer;
let restore = () => {};
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [org, store] = await Promise.all([makeOrganization(), startS3Bucket()]);
});
afterAll(async () => {
  restore();
  await store.close();
});

const secret = "a secret access key";
const call = requestsWith(() => org.key);
const bucket = (more: object = {}) => ({
  name: unique("bucket"),
  provider: "aws_s3",
  s3_bucket_name: "fleet-bucket",
  s3_bucket_region: "eu-test-1",
  s3_access_key_id: "AKIDTEST",
  s3_secret_access_key: secret,
  s3_endpoint_url: store.url,
  ...more,
});
const create = (more: object = {}) => call<StorageConfigResource>("POST", "/storage-configs/", bucket(more));

describe("an S3-compatible bucket", () => {
  test("is stored after a request with a valid signature, and never shows its credentials", async () => {
    const made = await create({ s3_bucket_prefix: "robots/" });
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        provider: "aws_s3",
        s3_bucket_name: "fleet-bucket",
        s3_bucket_region: "eu-test-1",
        s3_bucket_prefix: "robots/",
        s3_is_accelerated: false,
        gc_storage_bucket_name: null,
        is_verified: true,
      },
    ]);
    const row = await prisma.storageConfig.findUnique({ where: { uid: made.body.uid } });
    expect(JSON.stringify([made.body, row])).not.toContain(secret);
    const listed = await call<Page<StorageConfigResource>>("GET", "/storage-configs/");
    expect(listed.body.results).toContainEqual(made.body);
  });

  test.each([
    ["s3_bucket_name", "There is no such bucket.", { s3_bucket_name: "another-bucket" }],
    ["s3_access_key_id", "This access key does not exist.", { s3_access_key_id: "AKIDOTHER" }],
    ["s3_secret_access_key", "This is not the secret of the access key.", { s3_secret_access_key: "wrong" }],
    ["s3_bucket_region", "The bucket is in the region eu-test-1.", { s3_bucket_region: "us-east-9" }],
    ["s3_bucket_region", "Enter a valid region.", { s3_bucket_region: "x@evil.com/" }],
    ["s3_bucket_name", "Enter a valid bucket name.", { s3_bucket_name: "../etc" }],
    [
      "s3_endpoint_url",
      "This address is not reachable from here: it is not on the public internet.",
      { s3_endpoint_url: "https://169.254.169.254" },
    ],
    ["provider", '"azure" is not a valid choice. Choices: aws_s3, gc_storage.', { provider: "azure" }],
    ["s3_secret_access_key", "This field is required.", { s3_secret_access_key: undefined }],
  ])("is refused for its %s: %s", async (field, message, more) => {
    const before = await prisma.storageConfig.count({ where: { organizationId: org.uid } });
    const { status, body } = await create(more);
    expect([status, body]).toEqual([400, { [field]: [message] }]);
    expect(await prisma.storageConfig.count({ where: { organizationId: org.uid } })).toBe(before);
  });

  test("can be verified again: the outcome is stored, and the offending field is returned", async () => {
    const { body } = await create();
    const again = () => call<Verification>("POST", `/storage-configs/${body.uid}/test/`);
    expect([(await again()).status, (await again()).body]).toMatchObject([200, { verified: true }]);
    store.respondWith((response) => response.writeHead(403).end("<Error><Code>InvalidAccessKeyId</Code></Error>"));
    expect((await again()).body).toMatchObject({
      verified: false,
      errors: { s3_access_key_id: ["This access key does not exist."] },
    });
    store.respondWith(null);
    const [stored] = (await call<Page<StorageConfigResource>>("GET", "/storage-configs/?limit=1")).body.results;
    expect([stored?.uid, stored?.is_verified, stored?.last_verified_at !== null]).toEqual([body.uid, false, true]);
    expect((await again()).body).toMatchObject({ verified: true });
  });

  test("can be deleted by an unscoped key only, and its datasets then have no bucket", async () => {
    const { body } = await create();
    const dataset = await prisma.dataset.create({
      data: {
        uid: crypto.randomUUID(),
        organizationId: org.uid,
        name: "d",
        slug: unique(),
        dataType: "image",
        storageConfigId: body.uid,
      },
    });
    const scoped = await makeKey(org, org.owner, { scopes: ["storage.read", "storage.write"] });
    expect((await call("DELETE", `/storage-configs/${body.uid}/`, undefined, scoped)).status).toBe(403);
    expect((await call("DELETE", `/storage-configs/${body.uid}/`)).status).toBe(204);
    expect((await prisma.dataset.findUnique({ where: { uid: dataset.uid } }))?.storageConfigId).toBeNull();
    expect((await call("POST", `/storage-configs/${body.uid}/test/`)).status).toBe(404);
  });
});

describe("a bucket of Google Cloud Storage", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const account = {
    type: "service_account",
    client_email: "robot@example.iam.gserviceaccount.com",
    private_key: privateKey,
  };
  const gcs = (content: unknown, name = "fleet-bucket") =>
    call<StorageConfigResource>("POST", "/storage-configs/", {
      name: "g",
      provider: "gc_storage",
      gc_storage_bucket_name: name,
      gc_storage_auth_json_content: typeof content === "string" ? content : JSON.stringify(content),
    });

  test("is accessed with a token for an assertion signed by the account's key", async () => {
    const requests: Received[] = [];
    const google = await startReceiver((received, response) => {
      requests.push(received);
      if (received.path === "/token") {
        const jwt = new URLSearchParams(received.body).get("assertion") ?? "";
        const [head, claims, signature] = jwt.split(".");
        const isValid = createVerify("RSA-SHA256")
          .update(`${head}.${claims}`)
          .verify(publicKey, signature ?? "", "base64url");
        return response.writeHead(isValid ? 200 : 400).end(JSON.stringify({ access_token: "let-me-in" }));
      }
      const known =
        received.headers.authorization === "Bearer let-me-in" &&
        received.path.startsWith("/storage/v1/b/fleet-bucket/o?");
      return response.writeHead(known ? 200 : 404).end("{}");
    });
    const settings = processWide<{ GCS_ENDPOINT?: string | undefined }>("env", () => ({}));
    const before = env.GCS_ENDPOINT;
    settings.GCS_ENDPOINT = google.url;
    try {
      const made = await gcs(account);
      expect([made.status, made.body]).toMatchObject([
        201,
        { provider: "gc_storage", gc_storage_bucket_name: "fleet-bucket", s3_bucket_name: null, is_verified: true },
      ]);
      expect((await gcs(account, "no-such-bucket")).body).toEqual({
        gc_storage_bucket_name: ["There is no such bucket."],
      });
      expect(requests.map(({ path }) => path.split("?")[0])).toEqual([
        "/token",
        "/storage/v1/b/fleet-bucket/o",
        ...["PUT", "GET", "DELETE"].map(() => expect.stringMatching(/^\/fleet-bucket\/muster-test\/[\w-]+$/) as string),
        "/upload/storage/v1/b/fleet-bucket/o",
        "/token",
        "/storage/v1/b/no-such-bucket/o",
      ]);
    } finally {
      settings.GCS_ENDPOINT = before;
      await google.close();
    }
  });

  test.each([
    ["not JSON", "{"],
    ["an account of another kind", { ...account, type: "external_account" }],
    ["a token address of its own", { ...account, token_uri: "http://169.254.169.254/" }],
    ["no key", { ...account, private_key: "no" }],
  ])("is refused for %s, and nothing leaves", async (_, content) => {
    const { status, body } = await gcs(content);
    expect([status, body]).toEqual([
      400,
      { gc_storage_auth_json_content: ["Give the JSON key of a service account."] },
    ]);
    expect(readServiceAccount(typeof content === "string" ? content : JSON.stringify(content))).toBeNull();
  });
});

test("members of several organizations must name the organization", async () => {
  const { uid, username, email } = org.owner;
  const other = await makeOrganization();
  const several = await addMember(other, "member", { user: { uid, username, email } });
  const requestSetupInfo = (query: string) =>
    call<SetupInfo>("GET", `/storage-configs/setup-info/${query}`, undefined, several.key);
  expect((await requestSetupInfo("")).body).toEqual({
    organization: ["This field is required: you are a member of several organizations."],
  });
  expect((await requestSetupInfo(`?organization=${org.slug}`)).status).toBe(404);
  const info = await requestSetupInfo(`?organization=${other.slug}`);
  expect([info.status, info.body.external_id]).toEqual([200, expect.stringMatching(/^[\w-]{32}$/)]);
  expect((await requestSetupInfo(`?organization=${other.slug}`)).body).toEqual(info.body);
});
