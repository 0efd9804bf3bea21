import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { diskStore } from "@/server/platform/storage/own";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";
import { computeEtag, filesOfKey } from "@/server/testing/stored-files";
import { startWebProcesses, type WebProcesses } from "@/server/testing/web-processes";

const size = 1_000_000;
const [a, b] = [0, 1];

let org: TestOrganization;
let deviceId: string;
let web: WebProcesses;

beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
  web = await startWebProcesses(2);
});
afterAll(async () => {
  await web.close();
  await diskStore().deletePrefix("recordings/");
});

interface Upload {
  recording: string;
  session: string;
  link: string;
  key: string;
}

/** Creates a recording with an upload session for one file. */
async function createUpload(): Promise<Upload> {
  const created = await request("POST", "/fleet/recordings/", { key: org.key, body: { device_id: deviceId } });
  const recording = created.body.uid;
  const at = `/fleet/recordings/${recording}/upload`;
  const files = [{ path: "a.mcap", size_bytes: size }];
  const as = { key: org.key };
  const { body: session } = await request<UploadSessionResource>("POST", `${at}/init/`, { ...as, body: { files } });
  const urlRequest = { session_uid: session.uid, file_paths: ["a.mcap"] };
  const { body: signed } = await request<SignedUrls>("POST", `${at}/urls/`, { ...as, body: urlRequest });
  const { pathname, search } = new URL(signed.urls[0]?.put_url ?? "");
  return { recording, session: session.uid, link: pathname + search, key: pathname.replace("/files/upload/", "") };
}

interface ProcessResponse {
  status: number;
  etag: string | undefined;
  range: string | undefined;
}

/** A PUT through one of the processes, whose body is sent in pieces. */
function putThrough(n: number, { link }: Upload, headers: http.OutgoingHttpHeaders = {}, { urls } = web) {
  const client = http.request(`${urls[n]}${link}`, { method: "PUT", headers: { "content-length": size, ...headers } });
  client.on("error", () => {});
  const responded = new Promise<ProcessResponse>((resolve, reject) => {
    client.once("response", (response) => {
      response.resume();
      const { etag, range } = response.headers;
      resolve({ status: response.statusCode ?? 0, etag, range });
    });
    client.once("close", () => reject(new Error("no response")));
  });
  responded.catch(() => {});
  const closed = new Promise<void>((resolve) => client.once("close", resolve));
  return {
    send: (bytes: Uint8Array) => client.write(bytes),
    end: (bytes?: Uint8Array): Promise<ProcessResponse> => {
      client.end(bytes);
      return responded;
    },
    breakOff: async () => {
      client.destroy();
      await closed;
    },
  };
}

const putAll = (n: number, upload: Upload, bytes: Uint8Array) => putThrough(n, upload).end(bytes);
const probe = (n: number, upload: Upload) =>
  putThrough(n, upload, { "content-length": 0, "content-range": `bytes */${size}` }).end();
const from = (start: number) => ({
  "content-length": size - start,
  "content-range": `bytes ${start}-${size - 1}/${size}`,
});
const received = ({ key }: Upload, bytes: number) =>
  vi.waitFor(async () => expect(await diskStore().receivedBytes(key)).toBe(bytes), { timeout: 60_000, interval: 10 });

/** Sends the first part of a body through one of the processes and waits until it has been received. */
async function begin(n: number, upload: Upload, part: Uint8Array, processes = web) {
  const client = putThrough(n, upload, {}, processes);
  client.send(part);
  await received(upload, part.length);
  return client;
}

async function confirm({ recording, session }: Upload, etag: string): Promise<number> {
  const body = { session_uid: session, files: [{ path: "a.mcap", etag, size_bytes: size }] };
  return (await request("POST", `/fleet/recordings/${recording}/upload/confirm/`, { key: org.key, body })).status;
}

/** The tag of the stored bytes, which must be the object's tag. */
async function storedTag({ key }: Upload): Promise<string> {
  const bytes = await diskStore().readBytes(key, 0, 2 * size);
  expect((await diskStore().head(key))?.etag).toBe(computeEtag(bytes));
  return computeEtag(bytes);
}

describe("an upload that is repeated through another process while it is running", () => {
  test("is stored as sent when the other upload is interrupted", async () => {
    const bytes = randomBytes(size);
    const upload = await createUpload();
    const slow = await begin(a, upload, bytes.subarray(0, 400_000));
    const other = await begin(b, upload, bytes.subarray(0, 150_000));
    await other.breakOff();
    expect(await slow.end(bytes.subarray(400_000))).toMatchObject({ status: 200, etag: computeEtag(bytes) });
    expect(await storedTag(upload)).toBe(computeEtag(bytes));
    expect(await confirm(upload, computeEtag(bytes))).toBe(200);
    expect(await storedTag(upload)).toBe(computeEtag(bytes));
    expect(filesOfKey(upload.key)).toHaveLength(1);
  });

  test("is stored as sent when the other upload sends other bytes and is interrupted", async () => {
    const [bytes, others] = [randomBytes(size), randomBytes(size)];
    const upload = await createUpload();
    const slow = await begin(a, upload, bytes.subarray(0, 100_000));
    const other = await begin(b, upload, others.subarray(0, 150_000));
    slow.send(bytes.subarray(100_000, 700_000));
    await other.breakOff();
    expect(await slow.end(bytes.subarray(700_000))).toMatchObject({ status: 200, etag: computeEtag(bytes) });
    expect(await storedTag(upload)).toBe(computeEtag(bytes));
    expect(await confirm(upload, computeEtag(others))).toBe(400);
    expect(await confirm(upload, computeEtag(bytes))).toBe(200);
  });

  test("is refused when the other upload has stored other bytes first", async () => {
    const [bytes, others] = [randomBytes(size), randomBytes(size)];
    const upload = await createUpload();
    const slow = await begin(a, upload, bytes.subarray(0, 400_000));
    expect(await putAll(b, upload, others)).toMatchObject({ status: 200, etag: computeEtag(others) });
    expect((await slow.end(bytes.subarray(400_000))).status).toBe(409);
    expect(await storedTag(upload)).toBe(computeEtag(others));
    expect(await confirm(upload, computeEtag(bytes))).toBe(400);
    expect(await confirm(upload, computeEtag(others))).toBe(200);
  });

  test("is accepted when the other upload has stored the same bytes first", async () => {
    const bytes = randomBytes(size);
    const upload = await createUpload();
    const slow = await begin(a, upload, bytes.subarray(0, 400_000));
    expect((await putAll(b, upload, bytes)).status).toBe(200);
    expect(await slow.end(bytes.subarray(400_000))).toMatchObject({ status: 200, etag: computeEtag(bytes) });
    expect(await storedTag(upload)).toBe(computeEtag(bytes));
    expect(filesOfKey(upload.key)).toHaveLength(1);
  });

  test("does not change bytes that were confirmed meanwhile", async () => {
    const [bytes, others] = [randomBytes(size), randomBytes(size)];
    const upload = await createUpload();
    expect((await putAll(b, upload, others)).status).toBe(200);
    const slow = await begin(a, upload, bytes.subarray(0, 400_000));
    expect(await confirm(upload, computeEtag(others))).toBe(200);
    expect((await slow.end(bytes.subarray(400_000))).status).toBe(409);
    expect(await storedTag(upload)).toBe(computeEtag(others));
    expect(filesOfKey(upload.key)).toHaveLength(1);
  });
});

describe("a confirmation", () => {
  test("is not undone by an upload that hung during its publication and lost its lock", async () => {
    const [bytes, others] = [randomBytes(size), randomBytes(size)];
    const upload = await createUpload();
    await putAll(a, upload, bytes);
    const gate = new EventEmitter();
    const [admitted, resumed] = [once(gate, "admitted"), once(gate, "resumed")];
    const part = { start: 0, end: size, sizeBytes: size, body: new Blob([others]).stream() };
    const hanging = diskStore().receive(upload.key, part, async (publish) => {
      gate.emit("admitted");
      await resumed;
      await publish();
    });
    await admitted;
    expect(await confirm(upload, computeEtag(bytes))).toBe(200);
    gate.emit("resumed");
    await expect(hanging).rejects.toThrow("superseded");
    expect(await storedTag(upload)).toBe(computeEtag(bytes));
  });

  test("with a wrong tag does not end a running upload", async () => {
    const bytes = randomBytes(size);
    const upload = await createUpload();
    await putAll(b, upload, randomBytes(size));
    const slow = await begin(a, upload, bytes.subarray(0, 400_000));
    expect(await confirm(upload, computeEtag(bytes))).toBe(400);
    expect(await slow.end(bytes.subarray(400_000))).toMatchObject({ status: 200, etag: computeEtag(bytes) });
  });
});

describe("an upload is resumed through another process", () => {
  /** Expects that the other process has the first 400,000 bytes and stores the file correctly with the rest. */
  async function expectToResume(upload: Upload, bytes: Uint8Array): Promise<void> {
    expect(await probe(b, upload)).toMatchObject({ status: 308, range: "bytes=0-399999" });
    const rest = putThrough(b, upload, from(400_000));
    expect(await rest.end(bytes.subarray(400_000))).toMatchObject({ status: 200, etag: computeEtag(bytes) });
    expect(await storedTag(upload)).toBe(computeEtag(bytes));
  }

  test("after its connection was interrupted", async () => {
    const bytes = randomBytes(size);
    const upload = await createUpload();
    const broken = await begin(a, upload, bytes.subarray(0, 400_000));
    await broken.breakOff();
    await expectToResume(upload, bytes);
  });

  test("after the first process was killed", async () => {
    const bytes = randomBytes(size);
    const upload = await createUpload();
    const doomed = await startWebProcesses(1);
    await begin(0, upload, bytes.subarray(0, 400_000), doomed);
    await doomed.close();
    await expectToResume(upload, bytes);
    expect(await confirm(upload, computeEtag(bytes))).toBe(200);
    expect(filesOfKey(upload.key)).toHaveLength(1);
  });

  test("while the first connection hangs, whose later bytes are ignored", async () => {
    const [bytes, others] = [randomBytes(size), randomBytes(size)];
    const upload = await createUpload();
    const hanging = await begin(a, upload, bytes.subarray(0, 400_000));
    const rest = putThrough(b, upload, from(400_000));
    rest.send(bytes.subarray(400_000, 600_000));
    await received(upload, 600_000);
    hanging.send(others.subarray(400_000, 900_000));
    const sizes = () => filesOfKey(upload.key).map((file) => fs.statSync(file).size);
    await vi.waitFor(() => expect(sizes()).toContain(900_000), { timeout: 60_000, interval: 10 });
    expect(await rest.end(bytes.subarray(600_000))).toMatchObject({ status: 200, etag: computeEtag(bytes) });
    expect((await hanging.end(others.subarray(900_000))).status).toBe(409);
    expect(await storedTag(upload)).toBe(computeEtag(bytes));
    expect(filesOfKey(upload.key)).toHaveLength(1);
  });
});

test("of uploads restarted after their process was killed, at most one file remains beside the newest", async () => {
  const upload = await createUpload();
  const doomed = await startWebProcesses(3);
  for (const n of [0, 1, 2]) {
    putThrough(n, upload, {}, doomed).send(randomBytes(100_000 * (n + 1)));
    await received(upload, 100_000 * (n + 1));
    await doomed.kill(n);
  }
  await doomed.close();
  expect(filesOfKey(upload.key)).toHaveLength(2);
  await diskStore().discard(upload.key);
  expect(filesOfKey(upload.key)).toHaveLength(0);
});
