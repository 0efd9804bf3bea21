import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { BackupBucket, parseAddress } from "@/cli/db/bucket";
import { getBackupPartBytes } from "@/cli/db/target";
import { startS3Bucket, type S3BucketServer } from "@/server/testing/s3-bucket";
import { underSettings } from "@/server/testing/settings";

let s3: S3BucketServer;
beforeAll(async () => {
  s3 = await startS3Bucket();
});
afterAll(() => s3.close());
const settings = () => ({
  S3_ENDPOINT: s3.url,
  S3_REGION: s3.region,
  S3_ACCESS_KEY_ID: "AKIDTEST",
  S3_SECRET_ACCESS_KEY: "a secret access key",
});

test("parts are as small as 10,000 of them allow, for three times the bytes that were expected", () => {
  const sum = (expected: number) => {
    let bytes = 0;
    for (let number = 1; number <= 10_000; number++) bytes += getBackupPartBytes(number, expected);
    return bytes;
  };
  expect(getBackupPartBytes(1, 0)).toBe(16 * 1024 ** 2);
  expect(getBackupPartBytes(1, 130e9)).toBe(16 * 1024 ** 2);
  expect(getBackupPartBytes(1, 1e12)).toBe(125_000_000);
  for (const expected of [0, 1e9, 1e12, 5e12]) expect(sum(expected)).toBeGreaterThanOrEqual(expected * 3);
});

test("an address names a bucket and an object, and anything else is refused", () => {
  expect(parseAddress("s3://fleet-backups/nightly/2026-11-30.tar")).toEqual({
    bucket: "fleet-backups",
    key: "nightly/2026-11-30.tar",
  });
  for (const wrong of [
    "s3://fleet",
    "s3://fleet/",
    "s3://fleet//a",
    "s3://fleet/a/../b",
    "s3://fleet/a/",
    "s3://F/a b",
  ])
    expect(() => parseAddress(wrong)).toThrow("no address of an object");
});

test("a part is sent again while the bucket is away, and not when it refuses", async () => {
  await underSettings(settings(), async () => {
    const store = new BackupBucket(s3.bucket);
    const upload = await store.begin("a.tar");
    s3.asked.length = 0;
    s3.respondWith((response) => void response.writeHead(503).end());
    const sending = store.send("a.tar", upload, 1, Buffer.from("bytes"));
    // The client's own attempts are over.
    await vi.waitUntil(() => s3.asked.length >= 3, { timeout: 60_000, interval: 10 });
    s3.respondWith(null);
    expect(await sending).toMatchObject({ number: 1, size: 5 });

    s3.asked.length = 0;
    s3.respondWith((response) => void response.writeHead(403).end());
    const refused = store.send("a.tar", upload, 2, Buffer.from("bytes"));
    await expect(refused).rejects.toThrow(`The bucket ${s3.bucket} cannot be used: `);
    expect(s3.asked).toHaveLength(1);
    s3.respondWith(null);
    await store.abandon("a.tar", upload);
    expect(s3.openUploads()).toBe(0);
  });
});
