import { readdirSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import wasm from "@foxglove/wasm-zstd";
import { beforeAll, describe, expect, test } from "vitest";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap } from "@/engine/testing/write-mcap";
import { reprocessRecording } from "@/server/features/recordings/service";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";
import { writeDb3, writeDb3WithLog } from "@/server/testing/db3";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { epoch, processedRecording, runJobs, second, uploadRecording } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";
import { float, uint64, UlogBuilder } from "@/server/testing/ulog";

let org: TestOrganization;
let deviceId: string;
beforeAll(async () => {
  await wasm.isLoaded;
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
});

function float64(value: number): Buffer {
  const data = Buffer.alloc(12);
  data[1] = 1;
  data.writeDoubleLE(value, 4);
  return data;
}

const zstd = (bytes: Uint8Array): Buffer => Buffer.from(wasm.compress(bytes));
/** One frame or member for each part of the bytes, as parallel compressors write them. */
const inParts = (bytes: Buffer, compress: (part: Buffer) => Buffer): Buffer => {
  const size = Math.ceil(bytes.length / 5);
  return Buffer.concat([0, 1, 2, 3, 4].map((at) => compress(bytes.subarray(at * size, (at + 1) * size))));
};

const channel = { topic: "/x", messageEncoding: "json", schemaName: "x", schemaEncoding: "jsonschema", schema: "{}" };
const mcap = (count: number, first = 0): Promise<Buffer> =>
  writeMcap(
    [channel],
    Array.from({ length: count }, (_, at) => ({
      topic: "/x",
      time: epoch + BigInt(first + at) * second,
      data: Buffer.from(JSON.stringify({ data: first + at, text: `${(first + at) ** 3}` })),
    })),
    { chunkBytes: 4_096 },
  );
const bag = () =>
  writeBag(
    [{ topic: "/x", messageEncoding: "ros1", schemaName: "std_msgs/Float64", schema: "float64 data" }],
    [0, 1, 2].map((at) => ({ topic: "/x", time: epoch + BigInt(at) * second, data: float64(at).subarray(4) })),
  );
const messages = Array.from({ length: 3 }, (_, at) => ({
  topic: 1,
  time: epoch + BigInt(at) * second,
  data: float64(at),
}));
const db3Contents = { topics: [{ name: "/x", type: "std_msgs/msg/Float64" }], messages };
const ulog = () =>
  [0, 1, 2]
    .reduce(
      (log, at) => log.data(0, uint64(1_000_000n + BigInt(at) * 500_000n), float(at)),
      new UlogBuilder(1_000_000n).format("x:uint64_t timestamp;float data;").subscribe(0, "x"),
    )
    .build();

const named = (files: Record<string, Buffer>) => Object.entries(files).map(([name, bytes]) => ({ path: name, bytes }));
const getRecording = async (uid: string) =>
  (await request<Record<string, unknown>>("GET", `/fleet/recordings/${uid}/`, { key: org.key })).body;
const readUploaded = async (files: Record<string, Buffer>) =>
  getRecording(await processedRecording(org, deviceId, named(files)));
const getFiles = (uid: string) =>
  prisma.storedFile.findMany({ where: { recordingId: uid }, orderBy: [{ position: "asc" }, { uid: "asc" }] });

describe("a recording that is compressed as a whole", () => {
  test.each([
    ["gz", gzipSync],
    ["zst", zstd],
    ["zstd", zstd],
  ])("is read in every format, as .%s", async (ending, compress) => {
    const whole = { status: "ready", warnings: [] };
    const data = expect.objectContaining({ path: "data", min: 0, max: 2 });
    const topics = [{ name: "/x", error: null, message_count: 3, fields: expect.arrayContaining([data]) }];
    const read = async (name: string, bytes: Buffer) => readUploaded({ [`${name}.${ending}`]: compress(bytes) });
    expect(await read("x.mcap", await mcap(3))).toMatchObject({ ...whole, format: "mcap", topics });
    expect(await read("x.bag", bag())).toMatchObject({ ...whole, format: "rosbag", topics });
    expect(await read("x.db3", writeDb3(db3Contents))).toMatchObject({ ...whole, format: "db3", topics });
    const px4 = await read("x.ulg", ulog());
    expect(px4).toMatchObject({ status: "ready", format: "ulog", topics: [{ ...topics[0], name: "x" }] });
  });

  test("is read whatever its name, in frames and members of any number", async () => {
    const bytes = await mcap(300);
    expect(
      await readUploaded({ "a.mcap.zst": inParts(bytes, zstd), run: inParts(await mcap(300, 300), gzipSync) }),
    ).toMatchObject({ status: "ready", message_count: 600, warnings: [] });
  });

  test("is decompressed once, converted from there, and counted and deleted with what was made", async () => {
    const before = await prisma.device.findUniqueOrThrow({ where: { uid: deviceId } });
    const uid = await processedRecording(org, deviceId, named({ "run/run_0.db3.zstd": zstd(writeDb3(db3Contents)) }));
    const files = await getFiles(uid);
    expect(files.map(({ path: name }) => name)).toEqual(["run/run_0.db3.zstd", "run/run_0.db3", "run/run_0.db3.mcap"]);
    expect(files.map(({ derivedFrom }) => derivedFrom)).toEqual([null, files[0]!.uid, files[1]!.uid]);
    const total = files.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0);
    const after = await prisma.device.findUniqueOrThrow({ where: { uid: deviceId } });
    const recording = await getRecording(uid);
    expect([recording["size_bytes"], Number(after.storageBytes - before.storageBytes)]).toEqual([total, total]);

    await reprocessRecording(org.ctx, uid);
    await runJobs();
    expect(await getFiles(uid)).toEqual(files);
    expect(await getRecording(uid)).toMatchObject({ status: "ready", format: "db3", message_count: 3 });

    await request("DELETE", `/fleet/recordings/${uid}/`, { key: org.key });
    const end = await prisma.device.findUniqueOrThrow({ where: { uid: deviceId } });
    expect(end.storageBytes).toBe(before.storageBytes);
  });

  test("is decompressed again over what a killed worker left", async () => {
    const uid = await uploadRecording(org, deviceId, named({ "a.mcap.gz": gzipSync(await mcap(20)) }));
    const [original] = await getFiles(uid);
    await objectStore().put(`${original!.storageKey}-content`, new Blob(["left behind"]).stream(), 11);
    await runJobs();
    expect(await getRecording(uid)).toMatchObject({ status: "ready", message_count: 20, warnings: [] });
    expect(readdirSync(path.join(env.DATA_DIR, "tmp")).filter((name) => name.startsWith("conversion-"))).toEqual([]);
  });

  test("is read with the write-ahead log of the file that it holds", async () => {
    const { db3, wal } = writeDb3WithLog(db3Contents, 1);
    expect(await readUploaded({ "a.db3.zst": zstd(db3), "a.db3-wal": wal })).toMatchObject({
      status: "ready",
      message_count: 3,
      warnings: [],
    });
  });
});

describe("a compressed file that is damaged", () => {
  test.each([
    ["zst", (bytes: Buffer) => inParts(bytes, zstd)],
    ["gz", (bytes: Buffer) => gzipSync(bytes)],
  ])("in its middle is read up to there, as .%s", async (ending, compress) => {
    const bytes = compress(await mcap(20_000));
    const name = `a.mcap.${ending}`;
    const warning = `"${name}" is damaged or cut off: it was decompressed as far as it goes.`;
    const cut = await readUploaded({ [name]: bytes.subarray(0, Math.floor(bytes.length / 2)) });
    expect(cut).toMatchObject({ status: "ready", warnings: expect.arrayContaining([warning]) });
    expect(cut["message_count"]).toBeGreaterThan(6_000);
    expect(cut["message_count"]).toBeLessThan(14_000);
    const damaged = Buffer.from(bytes);
    // Zstd has no sums of blocks: what is certain to be noticed is the head of a frame, such as the fourth.
    const heads = [...bytes.toString("latin1").matchAll(/\x28\xb5\x2f\xfd/g)].map(({ index }) => index);
    const at = ending === "zst" ? heads[3]! : Math.floor(bytes.length * 0.6);
    damaged.fill(0xff, at, at + 3_000);
    const rest = await readUploaded({ [name]: damaged });
    expect(rest).toMatchObject({ status: "ready", warnings: expect.arrayContaining([warning]) });
    expect(rest["message_count"]).toBeGreaterThan(6_000);
  });

  test.each([
    ["zst", zstd],
    ["gz", gzipSync],
  ])("at its beginning is an error that says so, as .%s", async (ending, compress) => {
    const bytes = compress(await mcap(3)).subarray(0, 14);
    expect(await readUploaded({ [`a.mcap.${ending}`]: bytes })).toMatchObject({
      status: "error",
      error_message: expect.stringMatching(/^The file is a (gzip|zstd) file that is damaged at its beginning\.$/),
    });
  });
});

describe("a compressed file that holds no recording", () => {
  const tar = Buffer.alloc(10_240);
  tar.write("run/a.mcap");
  tar.write("ustar", 257);

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstd],
  ])("is refused with what it holds: %s", async (name, compress) => {
    const getReason = async (bytes: Buffer) => (await readUploaded({ file: compress(bytes) }))["error_message"];
    expect(await getReason(Buffer.from("hello"))).toBe(
      `The file is a ${name} file whose content is neither an MCAP file nor a ROS 1 bag, a ROS 2 db3 file or a ULog file.`,
    );
    expect(await getReason(Buffer.alloc(0))).toMatch(/^The file is a \w+ file whose content is neither an MCAP file/);
    expect(await getReason(tar)).toBe(
      "The file is a compressed tar archive: extract it with `tar -xf`, and upload the recordings in it.",
    );
    expect(await getReason(Buffer.concat([Buffer.from("#ROSBAG V1.2\n"), Buffer.alloc(600)]))).toMatch(
      /other than 2\.0/,
    );
    expect(await getReason(gzipSync(await mcap(3)))).toMatch(/whose content is compressed as a whole/);
  });

  test("is kept beside one that does, with the reason", async () => {
    expect(await readUploaded({ "a.mcap": await mcap(3), "notes.txt.gz": gzipSync("hello") })).toMatchObject({
      status: "ready",
      message_count: 3,
      warnings: [
        expect.stringMatching(/^"notes\.txt\.gz" is kept but not read: it is a gzip file whose content is neither/),
      ],
    });
  });
});

describe("a compressed file that holds far more than its size", () => {
  /** A zstd frame whose blocks repeat one byte, after the beginning of an MCAP file; without a size, or with a false one. */
  function bomb(start: Buffer, blocks: number, declared?: bigint): Buffer {
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, declared === undefined ? 0x00 : 0xc0, 0x38]);
    const size = Buffer.alloc(declared === undefined ? 0 : 8);
    if (declared !== undefined) size.writeBigUInt64LE(declared);
    const block = (type: number, length: number, isLast: boolean, data: Buffer) => {
      const header = Buffer.alloc(3);
      header.writeUIntLE((length << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3);
      return Buffer.concat([header, data]);
    };
    const repeated = Array.from({ length: blocks }, (_, at) => block(1, 131_072, at === blocks - 1, Buffer.of(0)));
    return Buffer.concat([head, size, block(0, start.length, false, start), ...repeated]);
  }

  const tooMuch = { status: "error", error_message: "The files decompress to more than 200 times their size." };

  test("is an error while it is decompressed, alone and with others", async () => {
    const start = (await mcap(3)).subarray(0, 700);
    expect(await readUploaded({ "a.mcap.zst": bomb(start, 4_000) })).toMatchObject(tooMuch);
    const each = bomb(start, 1_000);
    const files = Object.fromEntries([0, 1, 2].map((at) => [`${at}.mcap.zst`, each]));
    expect(await readUploaded(files)).toMatchObject(tooMuch);
  });

  test("is an error before it is decompressed where it declares that", async () => {
    const bytes = bomb((await mcap(3)).subarray(0, 700), 1, 1n << 60n);
    expect(await readUploaded({ "a.mcap.zst": bytes })).toMatchObject(tooMuch);
  });

  test("counts by what was uploaded when its content is decompressed once more", async () => {
    // 40 MB of zeros in each chunk: 200 times what lies in the store, and 10,000 times what was uploaded.
    const data = Buffer.alloc(40 * 1024 * 1024);
    const inside = await writeMcap(
      [channel],
      [0, 1, 2, 3, 4, 5, 6, 7].map((at) => ({ topic: "/x", time: epoch + BigInt(at), data })),
      { compression: "zstd", chunkBytes: 1 },
    );
    const padded = Buffer.concat([inside, Buffer.alloc(2 * 1024 * 1024)]);
    expect(await readUploaded({ "a.mcap.gz": gzipSync(padded) })).toMatchObject({
      status: "error",
      error_message: "The chunks decompress to more than 200 times the size of the files.",
    });
  });
});
