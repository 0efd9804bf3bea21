import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BackupBucket } from "@/cli/db/bucket";
import { openTarget } from "@/cli/db/target";
import { hasS3Server, howToInstall, startS3Server, type S3Server } from "@/scripts/s3-server.mjs";
import { operatorBucket } from "@/server/platform/storage/own";
import { s3Client } from "@/server/platform/storage/s3-client";
import { copyPlace, emptyPlace, getEnvironment, readState, twoBackups, type Place } from "@/server/testing/backups";
import { bundledCommandLine, type CommandLine } from "@/server/testing/command-line";
import { onServer } from "@/server/testing/database";
import { unique } from "@/server/testing/factories";
import { underSettings } from "@/server/testing/settings";

/** Backups in a bucket of a real S3 server. */
const hasServer = hasS3Server();
if (!hasServer) process.stdout.write(`skipped: backups in a bucket; ${howToInstall}\n`);

const bucket = unique("backups");
let commandLine: CommandLine;
let given: Awaited<ReturnType<typeof twoBackups>>;
let s3: S3Server;
let settings: Record<string, string>;
let client: S3Client;
let source: Place;

beforeAll(async () => {
  if (!hasServer) return;
  commandLine = await bundledCommandLine();
  given = await twoBackups();
  s3 = await startS3Server();
  settings = {
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  const { CreateBucketCommand } = await import("@aws-sdk/client-s3");
  await underSettings(settings, async () => {
    client = await s3Client(operatorBucket({ bucket, prefix: null }));
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  source = await copyPlace(given.restored.new, given.folder);
}, 120_000);
afterAll(async () => {
  if (!hasServer) return;
  commandLine.close();
  await s3.close();
});

const start = (place: Place, args: string[], more: Record<string, string> = {}) =>
  commandLine.start(["db", ...args], { env: { ...getEnvironment(place), ...settings, ...more }, input: "replace\n" });
const muster = (place: Place, ...args: string[]) => start(place, args).ended;
const address = (key: string) => `s3://${bucket}/${key}`;

async function listBucket(): Promise<{ objects: string[]; uploads: string[] }> {
  const { ListMultipartUploadsCommand, ListObjectsV2Command } = await import("@aws-sdk/client-s3");
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  return {
    objects: Contents.flatMap(({ Key, Size }) => (Key !== undefined && Size ? [Key] : [])),
    uploads: Uploads.flatMap(({ Key }) => (Key === undefined ? [] : [Key])),
  };
}

describe.skipIf(!hasServer)("a backup in a bucket", () => {
  test(
    "of each kind is restored from there: full, without files, and since another",
    { timeout: 300_000 },
    async () => {
      const full = address("nightly/full.tar");
      const made = await muster(source, "backup", "--with-secret", "--to", full);
      expect(made).toMatchObject({ code: 0, err: expect.stringContaining(`${full}: `) });
      expect(made.err).toContain("keep it safe");
      const whole = await emptyPlace(given.folder);
      expect(await muster(whole, "restore", full)).toMatchObject({ code: 0 });
      expect(await readState(whole)).toBe(given.states.new);

      // One that begins where another ends.
      const since = address("nightly/since.tar");
      const second = await muster(source, "backup", "--with-secret", "--since", full, "--to", since);
      expect(second.err).toMatch(/ and 0 files, .*\n[1-9]\d* files of earlier backups are not in it/);
      const both = await emptyPlace(given.folder);
      expect(await muster(both, "restore", since)).toMatchObject({ code: 1, err: expect.stringContaining("--with") });
      expect(await muster(both, "restore", since, "--with", full)).toMatchObject({ code: 0 });
      expect(await readState(both)).toBe(given.states.new);

      const rows = address("nightly/rows.tar");
      expect(await muster(source, "backup", "--without-files", "--with-secret", "--to", rows)).toMatchObject({
        code: 0,
      });
      const beside = await emptyPlace(given.folder);
      fs.cpSync(path.join(source.dataDir, "files"), path.join(beside.dataDir, "files"), { recursive: true });
      expect(await muster(beside, "restore", rows)).toMatchObject({ code: 0 });
      expect(await readState(beside)).toBe(await readState(source));
      expect((await listBucket()).uploads).toEqual([]);
    },
  );

  test(
    "without files is restored beside files in a bucket, which STORAGE or --files-at names",
    { timeout: 300_000 },
    async () => {
      const store = `s3://${bucket}/store`;
      const own = await copyPlace(given.restored.new, given.folder);
      const moved = await commandLine.start(["files", "move", "--to", store], {
        env: { ...getEnvironment(own), ...settings },
      }).ended;
      expect(moved).toMatchObject({ code: 0 });
      const rows = path.join(given.folder, "rows.tar");
      const inBucket = { STORAGE: store };
      expect(await start(own, ["backup", "--without-files", "--with-secret", rows], inBucket).ended).toMatchObject({
        code: 0,
        err: expect.stringContaining(`of ${store} and holds none`),
      });
      const place = await emptyPlace(given.folder);
      expect(await start(place, ["restore", rows], { STORAGE: `s3://${bucket}/elsewhere` }).ended).toMatchObject({
        code: 1,
        err: expect.stringContaining("has none of the"),
      });
      expect(await start(place, ["restore", "--files-at", store, rows]).ended).toMatchObject({
        code: 0,
        err: expect.stringMatching(new RegExp(`need \\d+ files .* in ${store}: 0 missing, 0 damaged`)),
      });
      const other = await emptyPlace(given.folder);
      expect(await start(other, ["restore", rows], inBucket).ended).toMatchObject({ code: 0 });
    },
  );

  test("that is killed is not there, and the next one removes what it sent", { timeout: 300_000 }, async () => {
    const key = "nightly/killed.tar";
    await onServer(source.databaseUrl, async (holder) => {
      await holder.query("begin; lock table devices in access exclusive mode");
      const { child, ended } = start(source, ["backup", "--with-secret", "--to", address(key)]);
      await expect.poll(async () => (await listBucket()).uploads).toEqual([key]);
      child.kill("SIGKILL");
      await ended;
    });
    expect((await listBucket()).objects).not.toContain(key);
    const place = await emptyPlace(given.folder);
    expect(await muster(place, "restore", address(key))).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no object"),
    });
    expect(await muster(source, "backup", "--to", address(key))).toMatchObject({ code: 0 });
    expect(await listBucket()).toMatchObject({ objects: expect.arrayContaining([key]), uploads: [] });
  });

  test("that fails is not there and leaves no parts; a bucket that refuses is named", async () => {
    const absent = await muster(source, "backup", "--to", "s3://no-such-bucket/a.tar");
    expect(absent).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The bucket no-such-bucket cannot be used: .*404/),
    });
    await underSettings(settings, async () => {
      const target = await openTarget(address("failed.tar"), () => Promise.resolve(0));
      async function* broken(): AsyncGenerator<Buffer> {
        yield randomBytes(17 * 1024 ** 2);
        throw new Error("the disk is gone");
      }
      await expect(target.write(broken())).rejects.toThrow("the disk is gone");
      await target.discard();
    });
    const { objects, uploads } = await listBucket();
    expect(objects).not.toContain("failed.tar");
    expect(uploads).toEqual([]);
  });

  test(
    "is sent in parts with constant memory, and its bytes are those that were written",
    { timeout: 300_000 },
    async () => {
      await underSettings(settings, async () => {
        const target = await openTarget(address("large.tar"), () => Promise.resolve(0));
        const block = randomBytes(1_000_003);
        const blocks = 200;
        global.gc?.();
        const before = process.memoryUsage().rss;
        let most = 0;
        async function* bytes(): AsyncGenerator<Buffer> {
          for (let n = 0; n < blocks; n++) {
            yield block;
            most = Math.max(most, process.memoryUsage().rss - before);
          }
        }
        await target.write(bytes());
        expect(await target.publish()).toBe(blocks * block.length);
        process.stdout.write(`200 MB to a bucket: ${(most / 1e6).toFixed(0)} MB more memory\n`);
        expect(most).toBeLessThan(150e6);
        const store = new BackupBucket(bucket);
        for (const n of [0, 16, 17, 100, blocks - 1])
          expect(Buffer.from(await store.readBytes("large.tar", n * block.length, block.length)).equals(block)).toBe(
            true,
          );
        expect((await store.head("large.tar"))?.sizeBytes).toBe(blocks * block.length);
      });
    },
  );
});
