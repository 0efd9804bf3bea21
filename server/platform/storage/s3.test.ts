import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasS3Server, howToInstall, startS3Server, type S3Server } from "@/scripts/s3-server.mjs";
import { configureEgress } from "@/server/platform/http-client/settings";
import { S3Store } from "@/server/platform/storage/s3";
import { s3Client } from "@/server/platform/storage/s3-client";
import { keptInABucket } from "@/server/testing/bucket-contents";
import { objectsInABucket, toStream, type BucketPlace } from "@/server/testing/bucket-scenarios";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";

/**
 * Customers' buckets, against a server that verifies every signature: objects, presigned URLs, and recordings, datasets
 * and exports that are stored in one.
 */
const hasServer = hasS3Server();
if (!hasServer) process.stdout.write(`skipped: customers' buckets on a real S3 server; ${howToInstall}\n`);

let s3: S3Server;
let org: TestOrganization;
let restore = () => {};
const bucket = "fleet";
beforeAll(async () => {
  if (!hasServer) return;
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [s3, org] = await Promise.all([startS3Server(), makeOrganization()]);
  const { CreateBucketCommand } = await import("@aws-sdk/client-s3");
  await (await s3Client(target())).send(new CreateBucketCommand({ Bucket: bucket }));
});
afterAll(async () => {
  restore();
  if (hasServer) await s3.close();
});

const target = (more: Partial<ConstructorParameters<typeof S3Store>[0]> = {}) => ({
  bucket,
  region: s3.region,
  prefix: "muster",
  endpointUrl: s3.endpoint,
  accelerated: false,
  keys: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
  trusted: false,
  ...more,
});
/** The names of the bucket's objects below a prefix. */
const names = async (prefix: string): Promise<string[]> => {
  const { ListObjectsV2Command } = await import("@aws-sdk/client-s3");
  const { Contents = [] } = await (
    await s3Client(target())
  ).send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
  return Contents.map(({ Key = "" }) => Key);
};
const place = (): BucketPlace => ({
  org,
  address: `${s3.endpoint}/${bucket}`,
  endpoint: s3.endpoint,
  store: new S3Store(target()),
  etagOfParts: /-3"$/,
  fields: {
    provider: "aws_s3",
    s3_bucket_name: bucket,
    s3_bucket_region: s3.region,
    s3_bucket_prefix: "ours/",
    s3_access_key_id: s3.accessKeyId,
    s3_secret_access_key: s3.secretAccessKey,
    s3_endpoint_url: s3.endpoint,
  },
  names,
});

describe.skipIf(!hasServer)("an object in a bucket", () => {
  objectsInABucket(place);

  test("cannot be used with a wrong secret, in a missing bucket, or when the server is down", async () => {
    for (const [wrong, reason] of [
      [{ keys: { accessKeyId: s3.accessKeyId, secretAccessKey: "wrong" } }, "403"],
      [{ bucket: "elsewhere" }, "NoSuchBucket"],
      [{ endpointUrl: "http://127.0.0.1:65500" }, "connection failed"],
    ] as const) {
      const store = new S3Store(target(wrong));
      await expect(store.put("a/b", toStream(Buffer.from("x")), 1)).rejects.toThrow(reason);
      await expect(store.deletePrefix("a/")).rejects.toThrow(reason);
    }
  });
});

describe.skipIf(!hasServer)("in a customer's bucket", () => keptInABucket(place));
