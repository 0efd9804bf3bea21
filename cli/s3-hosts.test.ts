import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { hasS3Server, howToInstall, startS3Server, type S3Server } from "@/scripts/s3-server.mjs";
import type { DatasetResource, ItemResource } from "@/server/features/datasets/resource";
import type { ExportResource } from "@/server/features/exports/resource";
import type { SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { env } from "@/server/platform/env";
import { s3Client } from "@/server/platform/storage/s3-client";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { bundledCommandLine, type CommandLine } from "@/server/testing/command-line";
import { cloneTemplate } from "@/server/testing/database";
import { picture } from "@/server/testing/datasets";
import { unique } from "@/server/testing/factories";
import { jsonRecording, temperatures } from "@/server/testing/processing";

/**
 * Two web and three worker processes that share nothing but PostgreSQL and a bucket: each has a folder of its own, which
 * is empty at its start.
 */
// A minute of several processes, beside which other tests would have to wait.
const hasServer = hasS3Server() && process.env.S3_HOSTS === "run";
if (!hasServer) process.stdout.write(`skipped: several hosts on one bucket; ${howToInstall}\n`);

type Child = Awaited<ReturnType<typeof startProgram>>[0];
const run = inject("testRun");
const folder = path.join(env.DATA_DIR, unique("hosts"));
const bucket = unique("hosts");
const children: Child[] = [];
let s3: S3Server;
let commands: CommandLine;
let settings: Record<string, string>;
let urls: string[];
let seed: { key: string; deviceId: string; token: string };
const removals: (() => void)[] = [];

const newFolder = (): Record<string, string> => ({ DATA_DIR: path.join(folder, unique("host")) });

async function startOn(program: string): Promise<(more?: Record<string, string>) => ReturnType<typeof startProgram>> {
  const { file, remove } = await bundleProgram(program);
  removals.push(remove);
  return async (more = {}) => {
    const started = await startProgram(file, { ...settings, ...newFolder(), ...more });
    children.push(started[0]);
    return started;
  };
}

beforeAll(async () => {
  if (!hasServer) return;
  fs.mkdirSync(folder, { recursive: true });
  s3 = await startS3Server();
  const keys = { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey };
  const target = { bucket, prefix: null, region: s3.region, endpointUrl: s3.endpoint, accelerated: false, keys };
  const { CreateBucketCommand } = await import("@aws-sdk/client-s3");
  await (await s3Client({ ...target, trusted: true })).send(new CreateBucketCommand({ Bucket: bucket }));
  settings = {
    DATABASE_URL: await cloneTemplate(run.adminUrl, run.template, `run_${run.id}_${randomBytes(6).toString("hex")}`),
    AUTH_SECRET: randomBytes(24).toString("hex"),
    STORAGE: `s3://${bucket}/muster`,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    RATE_LIMITS: JSON.stringify({ device_minute: 40, user_minute: 100_000, user_second: 10_000 }),
  };
  commands = await bundledCommandLine();
  const startSeed = await startOn("seed-process");
  seed = (await startSeed())[1] as typeof seed;
  const startWeb = await startOn("web-process");
  const webs = await Promise.all([startWeb({ ROLE: "web" }), startWeb({ ROLE: "web" })]);
  urls = webs.map(([, message]) => `http://127.0.0.1:${(message as { port: number }).port}`);
}, 180_000);
afterAll(async () => {
  if (!hasServer) return;
  await Promise.all(children.map(killNow));
  for (const remove of removals) remove();
  commands.close();
  await s3.close();
});

let calls = 0;
/** A request to the next web process. */
async function call<T>(method: string, at: string, body?: object): Promise<{ status: number; body: T }> {
  const response = await fetch(`${urls[calls++ % 2]}/api/v1${at}`, {
    method,
    headers: { "x-service-api-key": seed.key, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json().catch(() => null)) as T };
}

/** Uploads a file through both web processes and the bucket, as a program does. */
async function upload(at: string, name: string, bytes: Buffer): Promise<void> {
  const files = [{ path: name, size_bytes: bytes.length }];
  const { body: session } = await call<UploadSessionResource>("POST", `${at}/upload/init/`, { files });
  const request = { session_uid: session.uid, file_paths: [name] };
  const [signed] = (await call<SignedUrls>("POST", `${at}/upload/urls/`, request)).body.urls;
  expect(signed?.put_url.startsWith(`${s3.endpoint}/${bucket}/`)).toBe(true);
  const put = await fetch(signed?.put_url ?? "", {
    method: "PUT",
    headers: signed?.headers ?? {},
    body: new Uint8Array(bytes),
  });
  const claim = { path: name, etag: put.headers.get("etag"), size_bytes: bytes.length };
  const confirmed = await call("POST", `${at}/upload/confirm/`, { session_uid: session.uid, files: [claim] });
  expect([put.status, confirmed.status]).toEqual([200, 200]);
  await call("POST", `${at}/upload/finalize/`, { session_uid: session.uid });
}

const recordings = 4;
const values = Array.from({ length: 20_000 }, (_, at) => (at === 10_000 ? 90 : 20 + (at % 7)));
async function record(bytes: Buffer): Promise<string> {
  const { body } = await call<{ uid: string }>("POST", "/fleet/recordings/", { device_id: seed.deviceId });
  await upload(`/fleet/recordings/${body.uid}`, "run.mcap", bytes);
  return body.uid;
}

/** Uploads recordings concurrently and waits until all are ready. Resolves to their uids and the seconds it took. */
async function processRecordings(count: number, bytes: Buffer): Promise<{ uids: string[]; seconds: number }> {
  const began = performance.now();
  const uids = await Promise.all(Array.from({ length: count }, () => record(bytes)));
  const wait = { timeout: 180_000, interval: 100 };
  await vi.waitFor(async () => {
    const states = await Promise.all(uids.map((uid) => call<{ status: string }>("GET", `/fleet/recordings/${uid}/`)));
    expect(states.map(({ body }) => body.status)).toEqual(uids.map(() => "ready"));
  }, wait);
  return { uids, seconds: (performance.now() - began) / 1_000 };
}

const command = async (args: string[], more: Record<string, string>) => {
  const { code, out, err } = await commands.start(args, { env: { ...settings, ...more } }).ended;
  return { code, text: `${out}${err}` };
};

describe.skipIf(!hasServer)("several hosts on one bucket", () => {
  test("process every recording once, whichever host received it", { timeout: 600_000 }, async () => {
    const bytes = await jsonRecording({ "/motor/temp": temperatures(values) });
    const startWorkerProcess = await startOn("worker-process");
    await startWorkerProcess();
    const alone = await processRecordings(recordings, bytes);
    await Promise.all([startWorkerProcess(), startWorkerProcess()]);
    const together = await processRecordings(recordings, bytes);
    const rate = ({ seconds }: { seconds: number }) => (recordings / seconds).toFixed(2);
    process.stdout.write(`recordings a second: one worker ${rate(alone)}, three ${rate(together)}\n`);
    for (const uid of [...alone.uids, ...together.uids]) {
      const { body } = await call<{ results: unknown[] }>("GET", `/fleet/events/?recording_id=${uid}`);
      expect(body.results.length).toBe(1);
    }
  });

  test("make items and an export that a program fetches from the bucket", { timeout: 600_000 }, async () => {
    const { body: dataset } = await call<DatasetResource>("POST", "/datasets/", { name: unique("dataset") });
    const at = `/datasets/${dataset.owner_name}/${dataset.slug}`;
    await upload(at, "a.png", await picture());
    const wait = { timeout: 120_000, interval: 100 };
    await vi.waitFor(async () => {
      const listed = await call<{ results: ItemResource[] }>("GET", `${at}/items/`);
      expect(listed).toMatchObject({ status: 200 });
      const [item] = listed.body.results;
      expect(item?.status).toBe("unattempted");
      const picked = await fetch(
        new URL(item?.thumbnail_url ?? "", urls[0]).href.replace(/^https?:\/\/[^/]+/, urls[1]!),
      );
      expect([picked.status, picked.headers.get("content-type")]).toEqual([200, "image/webp"]);
      expect((await fetch(item?.data_url ?? "")).status).toBe(200);
    }, wait);
    const wanted = {
      name: unique("export"),
      format: "avala-json-external",
      datasets: [dataset.uid],
      projects: [],
      slices: [],
    };
    const made = (await call<ExportResource>("POST", "/exports/", wanted)).body;
    await vi.waitFor(async () => {
      const { body } = await call<ExportResource>("GET", `/exports/${made.uid}/`);
      expect([body.status, body.download_url?.startsWith(`${s3.endpoint}/${bucket}/`)]).toEqual(["exported", true]);
      expect(((await (await fetch(body.download_url ?? "")).json()) as { datasets: unknown[] }).datasets.length).toBe(
        1,
      );
    }, wait);
  });

  test("count one limit together", async () => {
    const beat = async (n: number): Promise<number> => {
      const at = `${urls[n % 2]}/api/v1/fleet/devices/${seed.deviceId}/heartbeat/`;
      const headers = { "x-service-device-token": seed.token, "content-type": "application/json" };
      return (await fetch(at, { method: "POST", headers, body: "{}" })).status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 60; n++) statuses.push(await beat(n));
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(40);
    expect(statuses).toContain(429);
  });

  test("are backed up and verified from any host, and their files move to a disk", { timeout: 600_000 }, async () => {
    await Promise.all(children.splice(0).map(killNow));
    const verified = await command(["files", "verify"], newFolder());
    expect([verified.code, verified.text]).toEqual([
      0,
      expect.stringContaining("0 damaged, 0 missing, 0 not verifiable; 0 unknown"),
    ]);
    const file = path.join(folder, "backup.tar");
    const backup = await command(["db", "backup", file], newFolder());
    expect([backup.code, backup.text]).toEqual([0, expect.not.stringContaining("damaged")]);
    const restoring = await command(["db", "restore", file], newFolder());
    expect([restoring.code, restoring.text]).toEqual([1, expect.stringContaining("set STORAGE=disk")]);

    // Workers that were killed count as running for 20 seconds.
    const host = newFolder();
    const move = () => command(["files", "move", "--to", "disk"], host);
    await vi.waitFor(async () => expect((await move()).text).toContain("Set STORAGE=disk"), {
      timeout: 180_000,
      interval: 1_000,
    });
    const refused = await command(["files", "verify"], host);
    expect([refused.code, refused.text]).toEqual([1, expect.stringContaining("were moved to")]);
    const moved = await command(["files", "verify"], { ...host, STORAGE: "disk" });
    expect([moved.code, moved.text]).toEqual([0, expect.stringContaining("0 damaged, 0 missing")]);
    const back = await command(["files", "move", "--to", `s3://${bucket}/again`, "--delete-source"], {
      ...host,
      STORAGE: "disk",
    });
    expect([back.code, back.text]).toEqual([0, expect.stringMatching(/[1-9]\d* files of .* deleted/)]);
  });
});
