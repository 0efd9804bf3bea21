import { McapIndexedReader } from "@mcap/core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import yauzl from "yauzl";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";
import { cutsPath } from "@/server/features/cuts/link";
import type { RecordingCut } from "@/server/features/cuts/resource";
import { prisma } from "@/server/platform/db";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { takeSlot } from "@/server/platform/rate-limit/slots";
import { ownStore } from "@/server/platform/storage/own";
import { writeDb3 } from "@/server/testing/db3";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { startLoopback } from "@/server/testing/loopback";
import { epoch, jsonRecording, processedRecording, second, uploadRecording } from "@/server/testing/processing";
import { createTrpcCaller, request, fetchApp } from "@/server/testing/requests";
import { float, uint64, UlogBuilder } from "@/server/testing/ulog";

let org: TestOrganization;
let other: TestOrganization;
let deviceId: string;
let uid: string;
let cookie: string;
const server = await startLoopback();
afterAll(() => server.close());

const camera = (topic: string, schemaName: string): TestChannel => ({
  topic,
  messageEncoding: "json",
  schemaName,
  schemaEncoding: "jsonschema",
  schema: "{}",
});
const jpeg = await sharp({ create: { width: 4, height: 4, channels: 3, background: "#c00" } })
  .jpeg()
  .toBuffer();

/** Ten seconds: a motor each second, a raw and a compressed camera each half second, of which one is broken. */
function robotRecording(): Promise<Buffer> {
  const channels = [
    camera("/raw", "foxglove.RawImage"),
    camera("/depth", "foxglove.RawImage"),
    camera("/jpeg", "foxglove.CompressedImage"),
  ];
  const messages: TestMessage[] = [];
  for (let n = 0; n < 20; n++) {
    const add = (topic: string, value: object) =>
      messages.push({ topic, time: epoch + (BigInt(n) * second) / 2n, data: Buffer.from(JSON.stringify(value)) });
    const pixels = Buffer.alloc(8 * 6, n);
    add("/raw", { width: 8, height: n === 5 ? 60 : 6, encoding: "mono8", step: 8, data: pixels.toString("base64") });
    const depth = Buffer.from(Uint16Array.from({ length: 8 }, () => 1_000 + n).buffer);
    add("/depth", { width: 4, height: 2, encoding: "16UC1", step: 8, data: depth.toString("base64") });
    add("/jpeg", { format: "jpeg", data: jpeg.toString("base64") });
  }
  const motor = Array.from({ length: 10 }, (_, at) => [at, { data: { value: at, mode: "=run" } }] as const);
  const map = [[0, { data: { value: 7 } }]] as const;
  return jsonRecording({ "/motor": motor, "/map": map }, { chunkBytes: 2_000, more: { channels, messages } });
}

beforeAll(async () => {
  [org, other] = [await makeOrganization(), await makeOrganization()];
  cookie = await sessionCookie(org.owner, { slug: org.slug });
  deviceId = (await makeDevice(org)).uid;
  uid = await processedRecording(org, deviceId, [await robotRecording()], { name: "Night run/7" });
});

const at = (seconds: number): string => String(epoch + BigInt(seconds * 1e9));
const download = async (query: Record<string, string>, by = cookie, of = uid) =>
  fetchApp(`/media/recordings/${of}/cut?${new URLSearchParams(query)}`, { headers: { cookie: by } });

async function readMcap(bytes: Uint8Array) {
  const codecs = await recordingCodecs();
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: () => Promise.resolve(BigInt(bytes.length)),
      read: (from, size) => Promise.resolve(bytes.subarray(Number(from), Number(from + size))),
    },
    decompressHandlers: { zstd: (packed, size) => codecs.zstd(packed, Number(size)) },
  });
  const messages: [topic: string, seconds: number][] = [];
  for await (const { channelId, logTime } of reader.readMessages({ validateCrcs: true }))
    messages.push([reader.channelsById.get(channelId)!.topic, Number(logTime - epoch) / 1e9]);
  return messages;
}

/** The files of an archive, read by another project's library. */
const unzip = (bytes: Buffer): Promise<Map<string, Buffer>> =>
  new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      const files = new Map<string, Buffer>();
      zip.on("error", reject);
      zip.on("end", () => resolve(files));
      zip.on("entry", (entry: yauzl.Entry) => {
        zip.openReadStream(entry, (failure, stream) => {
          if (failure) return reject(failure);
          const parts: Buffer[] = [];
          stream.on("data", (part: Buffer) => parts.push(part));
          stream.on("end", () => {
            files.set(entry.fileName, Buffer.concat(parts));
            zip.readEntry();
          });
        });
      });
      zip.readEntry();
    });
  });

describe("a range of a recording", () => {
  test("is downloaded as MCAP, with what held before", async () => {
    const response = await download({ from: at(4), to: at(6), topics: "/motor,/map" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
    expect(response.headers.get("content-disposition")).toContain(
      'attachment; filename="Night run_7 2025-10-09T08-53-24Z.mcap"',
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(Number(response.headers.get("content-length"))).toBe(bytes.length);
    expect(await readMcap(bytes)).toEqual([
      ["/map", 0],
      ["/motor", 4],
      ["/motor", 5],
      ["/motor", 6],
    ]);
    const all = await readMcap(Buffer.from(await (await download({})).arrayBuffer()));
    expect(all).toHaveLength(71);
  });

  test("leaves out what is damaged, and says so before it is sent", async () => {
    const bytes = await robotRecording();
    const damaged = await processedRecording(org, deviceId, [bytes]);
    const [file] = await prisma.storedFile.findMany({ where: { recordingId: damaged } });
    const put = (content: Uint8Array<ArrayBuffer>) =>
      ownStore().put(file!.storageKey, new Blob([content]).stream(), content.length);
    const intact = new Uint8Array(bytes);
    onTestFinished(async () => void (await put(intact))); // other tests back up every file
    const offsets: number[] = [];
    for (let place = 8; bytes[place] !== 0x0f; place += 9 + Number(bytes.readBigUInt64LE(place + 1)))
      if (bytes[place] === 0x06) offsets.push(place);
    for (const place of offsets.slice(1, 3)) bytes[place] = 0x63;
    await put(new Uint8Array(bytes));
    const response = await download({}, cookie, damaged);
    expect(response.headers.get("x-damaged-chunks")).toBe("2");
    const messages = await readMcap(new Uint8Array(await response.arrayBuffer()));
    expect(messages.length).toBeGreaterThan(40);
    expect(messages.length).toBeLessThan(71);
  });

  test("of a recording that was converted comes from what it was converted to", async () => {
    const value = Buffer.alloc(12);
    value[1] = 1;
    const db3 = writeDb3({
      topics: [{ name: "/level", type: "std_msgs/msg/Float64" }],
      messages: Array.from({ length: 5 }, (_, n) => ({ topic: 1, time: epoch + BigInt(n) * second, data: value })),
    });
    const ulog = new UlogBuilder(1_000_000n)
      .format("battery_status:uint64_t timestamp;float voltage_v;")
      .subscribe(0, "battery_status");
    for (let n = 0; n < 3; n++) ulog.data(0, uint64(1_000_000n + BigInt(n) * 1_000_000n), float(16 + n));
    const converted = await processedRecording(org, deviceId, [db3]);
    const part = await download({ from: at(1), to: at(3) }, cookie, converted);
    expect(await readMcap(new Uint8Array(await part.arrayBuffer()))).toEqual([
      ["/level", 1],
      ["/level", 2],
      ["/level", 3],
    ]);
    const log = await processedRecording(org, deviceId, [ulog.build()]);
    const table = await download({ format: "csv", topics: "battery_status" }, cookie, log);
    expect((await table.text()).split("\r\n").map((line) => line.split(",").at(-1))).toEqual([
      "voltage_v",
      "16",
      "17",
      "18",
      "",
    ]);
  });

  test("is downloaded as tables, with fields named as rules name them", async () => {
    const one = await download({ from: at(1), to: at(2), topics: "/motor", format: "csv" });
    expect([one.headers.get("content-type"), await one.text()]).toEqual([
      "text/csv; charset=utf-8",
      `log_time_ns,data.value,data.mode\r\n${at(1)},1,'=run\r\n${at(2)},2,'=run\r\n`,
    ]);
    const both = await download({ from: at(0), to: at(1), topics: "/motor,/map", format: "csv" });
    const files = await unzip(Buffer.from(await both.arrayBuffer()));
    expect([...files.keys()]).toEqual(["motor.csv", "map.csv"]);
    expect(files.get("map.csv")?.toString()).toBe(`log_time_ns,data.value\r\n${at(0)},7\r\n`);
  });

  test("is downloaded as pictures named by their time, with a list of those that are broken", async () => {
    const response = await download({ from: at(2), to: at(3), format: "pictures" });
    expect(response.headers.get("content-disposition")).toContain(".zip");
    const files = await unzip(Buffer.from(await response.arrayBuffer()));
    expect([...files.keys()].sort()).toEqual(
      [
        `jpeg/${at(2)}.jpg`,
        `jpeg/${at(2.5)}.jpg`,
        `jpeg/${at(3)}.jpg`,
        `depth/${at(2)}.png`,
        `depth/${at(2.5)}.png`,
        `depth/${at(3)}.png`,
        "left-out.csv",
        `raw/${at(2)}.png`,
        `raw/${at(3)}.png`,
      ].sort(),
    );
    expect(files.get(`jpeg/${at(2)}.jpg`)?.equals(jpeg)).toBe(true);
    const { data, info } = await sharp(files.get(`raw/${at(3)}.png`))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, data[0]]).toEqual([8, 6, 6]);
    const depth = await sharp(files.get(`depth/${at(3)}.png`))
      .toColourspace("grey16")
      .raw({ depth: "ushort" })
      .toBuffer();
    expect(depth.readUInt16LE(0)).toBe(1_006);
    expect(files.get("left-out.csv")?.toString()).toContain(`/raw,${at(2.5)},`);
  });

  test.each([
    [{ topics: "/nothing" }, "topics"],
    [{ from: "soon" }, "from"],
    [{ from: "5", to: "4" }, "to"],
    [{ from: "9000000000000000000" }, "from"],
    [{ to: "1" }, "to"],
    [{ format: "bag" }, "format"],
    [{ format: "pictures", topics: "/motor" }, "topics"],
    [{ topics: "," }, "topics"],
  ])("is refused for %j", async (query, field) => {
    const response = await download(query);
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([400, [field]]);
    const { status } = await request("GET", `/fleet/recordings/${uid}/cut/?${new URLSearchParams(query)}`, {
      key: org.key,
    });
    expect(status).toBe(400);
  });

  test("belongs to its organization, and needs a session", async () => {
    const foreign = await sessionCookie(other.owner, { slug: other.slug });
    const statuses = [await download({}, ""), await download({}, foreign), await download({}, cookie, "rec_x")];
    expect(statuses.map(({ status }) => status)).toEqual([401, 404, 404]);
    await expect(createTrpcCaller(other).cuts.sizes({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
    const { status } = await request("GET", `/fleet/recordings/${uid}/cut/`, { key: other.key });
    expect(status).toBe(404);
  });

  test("has a size that is known beforehand, by topic", async () => {
    const trpc = createTrpcCaller(org).cuts;
    const all = await trpc.sizes({ uid });
    const part = await trpc.sizes({ uid, from: at(0), to: at(3) });
    expect(all.total_bytes).toBeGreaterThan(2.5 * part.total_bytes);
    const sizes = new Map(all.topics.map(({ name, bytes }) => [name, bytes]));
    expect(sizes.get("/jpeg")).toBeGreaterThan(sizes.get("/motor")!);
    expect([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeCloseTo(all.total_bytes, -2);
  });

  test("is refused while as many are downloaded as may be, and leaves its place when its caller goes", async () => {
    const taken = Array.from({ length: 4 }, () => takeSlot("concurrent_cuts", org.ctx.organizationId));
    const refused = await download({});
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    for (const release of taken) release?.();
    for (let n = 0; n < 8; n++) {
      const response = await download({});
      await response.body?.cancel();
    }
    expect((await download({}, "")).status).toBe(401);
    const last = await download({});
    expect(last.status).toBe(200);
    await last.arrayBuffer();
  });
});

describe("a link to a range", () => {
  const link = async (query: Record<string, string>) =>
    (
      await request<RecordingCut>("GET", `/fleet/recordings/${uid}/cut/?${new URLSearchParams(query)}`, {
        key: org.key,
      })
    ).body;

  test("is downloaded without a key, until it expires, and only as it was made", async () => {
    const { download_url: url, file_name: name, estimated_bytes: size } = await link({ from: at(4), topics: "/motor" });
    expect([name, size > 0]).toEqual(["Night run_7 2025-10-09T08-53-24Z.mcap", true]);
    const response = await fetch(server.here(url));
    expect(response.status).toBe(200);
    const messages = await readMcap(new Uint8Array(await response.arrayBuffer()));
    expect(messages).toHaveLength(6);
    for (const change of [
      (query: URLSearchParams) => query.set("from", at(0)),
      (query: URLSearchParams) => query.set("topics", "/map"),
      (query: URLSearchParams) => query.set("organization", other.ctx.organizationId),
      (query: URLSearchParams) => query.set("expires", "9999999999"),
      (query: URLSearchParams) => query.delete("signature"),
      (query: URLSearchParams) => query.append("topics", "/map"),
    ]) {
      const changed = new URL(server.here(url));
      change(changed.searchParams);
      expect((await fetch(changed)).status).toBe(404);
    }
    expect((await fetch(`${server.url}${cutsPath}${uid}`)).status).toBe(404);
  });

  test("of a large range is sent as it is read, and reading ends when the caller goes", async () => {
    const noise = Buffer.alloc(400_000);
    for (let n = 0; n < noise.length; n++) noise[n] = (n * n * 7) & 0xff;
    const channels: TestChannel[] = [{ topic: "/blob", messageEncoding: "bytes" }];
    const messages = Array.from({ length: 40 }, (_, n): TestMessage => ({
      topic: "/blob",
      time: epoch + (BigInt(n) * second) / 10n,
      data: Buffer.concat([Buffer.from(String(n)), noise]),
    }));
    const bytes = await jsonRecording({}, { chunkBytes: 800_000, more: { channels, messages } });
    const large = await processedRecording(org, deviceId, [bytes]);
    const controller = new AbortController();
    const { body } = await request<RecordingCut>("GET", `/fleet/recordings/${large}/cut/`, { key: org.key });
    const response = await fetch(server.here(body.download_url), { signal: controller.signal });
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(value?.length).toBeGreaterThan(0);
    controller.abort();
    await reader.read().catch(() => {});
    // Its place is free again: as many as there are can be taken.
    const takeAll = () => Array.from({ length: 4 }, () => takeSlot("concurrent_cuts", org.ctx.organizationId));
    await expect
      .poll(
        () => {
          const taken = takeAll();
          for (const release of taken) release?.();
          return taken.every((release) => release !== null);
        },
        { timeout: 60_000 },
      )
      .toBe(true);
    const whole = await fetch(server.here(body.download_url));
    expect(await readMcap(new Uint8Array(await whole.arrayBuffer()))).toHaveLength(40);
  });

  test("of a recording whose file is gone, or that holds nothing, is refused", async () => {
    const lost = await processedRecording(org, deviceId, [await robotRecording()]);
    const { download_url: url } = (
      await request<RecordingCut>("GET", `/fleet/recordings/${lost}/cut/`, { key: org.key })
    ).body;
    const [file] = await prisma.storedFile.findMany({ where: { recordingId: lost } });
    await ownStore().delete(file!.storageKey);
    expect((await fetch(server.here(url))).status).toBe(404);
    const waiting = await uploadRecording(org, deviceId, [await robotRecording()]);
    const { status } = await request("GET", `/fleet/recordings/${waiting}/cut/`, { key: org.key });
    expect(status).toBe(400);
  });
});
