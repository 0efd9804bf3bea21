import { beforeAll, describe, expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { writeDb3, writeDb3WithLog } from "@/server/testing/db3";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { processedRecording, second } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let deviceId: string;
beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
});

function float64(value: number): Buffer {
  const data = Buffer.alloc(12);
  data[1] = 1;
  data.writeDoubleLE(value, 4);
  return data;
}

const start = 1_700_000_000n * second;
/** Messages of one topic that count from `first`, ten each second. */
const contents = (count: number, first = 0) => ({
  topics: [{ name: "/x", type: "std_msgs/msg/Float64" }],
  messages: Array.from({ length: count }, (_, at) => ({
    topic: 1,
    time: start + BigInt(first + at) * (second / 10n),
    data: float64(first + at),
  })),
});

async function readUploaded(files: Record<string, Buffer>) {
  const named = Object.entries(files).map(([path, bytes]) => ({ path, bytes }));
  const uid = await processedRecording(org, deviceId, named);
  const { body } = await request<Record<string, unknown>>("GET", `/fleet/recordings/${uid}/`, { key: org.key });
  return body;
}

const readWhole = (count: number) => ({
  status: "ready",
  format: "db3",
  message_count: count,
  warnings: [],
  topics: [{ name: "/x", error: null, fields: [expect.objectContaining({ path: "data", min: 0, max: count - 1 })] }],
});
const shm = Buffer.alloc(32_768, 7);

describe("a db3 file with a write-ahead log beside it", () => {
  test.each([
    ["part of the messages in the file", 120],
    ["all of the messages in the log", 0],
    ["not even the tables in the file", null],
  ])("is read with it: %s", async (_, inFile) => {
    const { db3, wal } = writeDb3WithLog(contents(200), inFile);
    expect(await readUploaded({ "run_0.db3": db3, "run_0.db3-wal": wal })).toMatchObject(readWhole(200));
    const withIndex = { "run_0.db3-shm": shm, "run_0.db3-wal": wal, "run_0.db3": db3 };
    expect(await readUploaded(withIndex)).toMatchObject(readWhole(200));
  });

  test("is read with its own, of several in folders", async () => {
    const first = writeDb3WithLog(contents(100), 60);
    const later = writeDb3WithLog(contents(100, 100), 20);
    const files = {
      "run/run_0.db3": first.db3,
      "run/run_1.db3": later.db3,
      "run/run_1.db3-wal": later.wal,
      "run/run_0.db3-wal": first.wal,
      "run/run_2.db3": writeDb3(contents(10, 200)),
    };
    expect(await readUploaded(files)).toMatchObject(readWhole(210));
  });

  test("that was not uploaded may lack its end, which is said", async () => {
    const { db3 } = writeDb3WithLog(contents(200), 120);
    expect(await readUploaded({ "run/run_0.db3": db3 })).toMatchObject({
      ...readWhole(120),
      warnings: [
        '"run_0.db3" was recorded with a log, "run_0.db3-wal", which was not uploaded: the end of the recording may be missing.',
      ],
    });
  });

  test("whose recorder said that the file is whole is taken for whole without a log", async () => {
    const { db3 } = writeDb3WithLog(contents(200), 120);
    const describe = (count: number) =>
      Buffer.from(
        `rosbag2_bagfile_information:\n  files:\n    - path: run_0.db3\n      message_count: ${count}\n  version: 6\n`,
      );
    const folder = { "run/metadata.yaml": describe(120), "run/run_0.db3": db3 };
    expect(await readUploaded(folder)).toMatchObject(readWhole(120));
    const cut = await readUploaded({ ...folder, "run/metadata.yaml": describe(200) });
    expect(cut["warnings"]).toEqual([expect.stringMatching(/the end of the recording may be missing/)]);
  });

  test("that is damaged is read up to there, and not at all from its beginning, which is said", async () => {
    const { db3, wal } = writeDb3WithLog(contents(200), 120);
    const inside = Buffer.from(wal);
    inside.fill(0xa5, Math.floor(wal.length / 2), Math.floor(wal.length / 2) + 600);
    const damaged = await readUploaded({ "a.db3": db3, "a.db3-wal": inside });
    expect(damaged["warnings"]).toEqual(['"a.db3-wal" is damaged or cut off: it was read as far as it goes.']);
    expect(damaged["message_count"]).toBeGreaterThan(120);
    expect(damaged["message_count"]).toBeLessThan(200);
    const all = writeDb3WithLog(contents(200), null);
    const cut = await readUploaded({ "a.db3": all.db3, "a.db3-wal": all.wal.subarray(0, all.wal.length - 2_000) });
    expect(cut).toMatchObject({
      message_count: 199,
      warnings: ['"a.db3-wal" is damaged or cut off: it was read as far as it goes.'],
    });
    const atStart = Buffer.from(wal).fill(0, 0, 16);
    expect(await readUploaded({ "a.db3": db3, "a.db3-wal": atStart })).toMatchObject({
      ...readWhole(120),
      warnings: ['"a.db3-wal" is damaged and was not read: the end of "a.db3" may be missing.'],
    });
  });

  test("that belongs to another file is not read, which is said", async () => {
    const { db3 } = writeDb3WithLog(contents(4_000), 3_900);
    const small = writeDb3WithLog(contents(50), 10);
    expect(await readUploaded({ "a.db3": db3, "a.db3-wal": small.wal })).toMatchObject({
      ...readWhole(3_900),
      warnings: [
        '"a.db3-wal" belongs to another file than "a.db3" and was not read: the end of "a.db3" may be missing.',
      ],
    });
    const few = writeDb3WithLog(contents(300), 200);
    const large = writeDb3WithLog(contents(6_000), 5_000);
    const mixed = await readUploaded({ "a.db3": few.db3, "a.db3-wal": large.wal });
    expect(mixed).toMatchObject({
      status: "ready",
      message_count: 200,
      warnings: ['"a.db3-wal" does not fit "a.db3" and was not read: its end may be missing.'],
    });
  });

  test("is read with a log that was begun anew after a checkpoint, or is empty", async () => {
    // Shorter than before, so that frames of the first round follow those of the second.
    const { db3, wal } = writeDb3WithLog(contents(200), 190);
    expect(wal.length).toBeGreaterThan(190 * 4_096);
    expect(await readUploaded({ "a.db3": db3, "a.db3-wal": wal })).toMatchObject(readWhole(200));
  });
});

describe("a folder of rosbag2", () => {
  const describe = (...files: string[]) =>
    Buffer.from(
      `rosbag2_bagfile_information:\n  version: 5\n  relative_file_paths:\n${files.map((file) => `    - ${file}\n`).join("")}`,
    );

  test("is read without a word about its description", async () => {
    const files = { "run/metadata.yaml": describe("run_0.db3"), "run/run_0.db3": writeDb3(contents(20)) };
    const recording = await readUploaded(files);
    expect(recording).toMatchObject(readWhole(20));
    const listed = await prisma.storedFile.findMany({ where: { recordingId: String(recording["uid"]) } });
    expect(listed.map(({ path }) => path).sort()).toEqual(["run/metadata.yaml", "run/run_0.db3", "run/run_0.db3.mcap"]);
  });

  test("of which a file is missing says which", async () => {
    const files = { "metadata.yaml": describe("run_0.db3", "run_1.db3"), "run_0.db3": writeDb3(contents(20)) };
    expect(await readUploaded(files)).toMatchObject({
      message_count: 20,
      warnings: ['"metadata.yaml" names files that were not uploaded: "run_1.db3".'],
    });
  });

  test("with another file of that name says that it is not read", async () => {
    const files = { "metadata.yaml": Buffer.from("camera: {width: 640}\n"), "run_0.db3": writeDb3(contents(20)) };
    expect(await readUploaded(files)).toMatchObject({
      message_count: 20,
      warnings: ['"metadata.yaml" is kept but not read: it is none that rosbag2 wrote.'],
    });
  });
});
