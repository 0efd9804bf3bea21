import { readdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createRecording, reprocessRecording } from "@/server/features/recordings/service";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";
import { writeDb3 } from "@/server/testing/db3";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { processedRecording, runJobs, storeFiles, uploadRecording } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";
import { float, uint64, UlogBuilder } from "@/server/testing/ulog";

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

const second = 1_000_000_000n;
const start = 1_700_000_000n * second;
const recorded = (count: number) =>
  writeDb3({
    topics: [{ name: "/level", type: "std_msgs/msg/Float64" }],
    messages: Array.from({ length: count }, (_, at) => ({
      topic: 1,
      time: start + BigInt(at) * second,
      data: float64(at),
    })),
  });

const getRecording = async (uid: string) =>
  (await request<Record<string, unknown>>("GET", `/fleet/recordings/${uid}/`, { key: org.key })).body;
const getFiles = (uid: string) =>
  prisma.storedFile.findMany({ where: { recordingId: uid }, orderBy: [{ position: "asc" }, { uid: "asc" }] });

describe("a recording of a PX4 log", () => {
  const log = (values: readonly number[]) => {
    const builder = new UlogBuilder(1_000_000n)
      .format("battery_status:uint64_t timestamp;float voltage_v;")
      .subscribe(0, "battery_status");
    for (const [n, value] of values.entries()) builder.data(0, uint64(1_000_000n + BigInt(n) * 500_000n), float(value));
    return builder.add("L", "4", uint64(1_500_000n), "low battery").build();
  };

  test("is read like any other, from where its uploader said it began", async () => {
    const began = "2026-03-01T10:00:00.000Z";
    const { uid } = await createRecording(org.ctx, { device_id: deviceId, started_at: new Date(began) });
    await storeFiles(org, uid, [log([16.5, 16.25, 15.5])]);
    await runJobs();
    const voltage = expect.objectContaining({ path: "voltage_v", min: 15.5, max: 16.5 });
    expect(await getRecording(uid)).toMatchObject({
      status: "ready",
      format: "ulog",
      started_at: began,
      message_count: 4,
      duration_seconds: 1,
      warnings: [],
      topics: [
        { name: "battery_status", error: null, fields: expect.arrayContaining([voltage]) },
        { name: "log", error: null, message_count: 1 },
      ],
    });
  });

  test("has its parameters that change as values over time, known from where they are", async () => {
    const builder = new UlogBuilder(1_000_000n)
      .format("battery_status:uint64_t timestamp;float voltage_v;")
      .entry("P", "float MPC_XY_P", float(0.5))
      .subscribe(0, "battery_status");
    for (let n = 0; n < 10; n++) {
      builder.data(0, uint64(1_000_000n + BigInt(n) * 500_000n), float(16));
      if (n === 4) builder.entry("P", "float MPC_XY_P", float(1.25)).entry("P", "float NEW_ONE", float(7.5));
    }
    const uid = await processedRecording(org, deviceId, [builder.build()]);
    const readPoints = async (field: string) => {
      const query = `topic=parameters&field=${field}`;
      const { body } = await request<{ points: [time: string, min: number, ...unknown[]][] }>(
        "GET",
        `/fleet/recordings/${uid}/series/?${query}`,
        { key: org.key },
      );
      return body.points.map(([time, value]) => [Number(BigInt(time) - BigInt(body.points[0]![0])) / 1e9, value]);
    };
    expect(await readPoints("MPC_XY_P")).toEqual([
      [0, 0.5],
      [2, 1.25],
    ]);
    expect(await readPoints("NEW_ONE")).toEqual([[0, 7.5]]);
  });

  test("is read up to where it is cut", async () => {
    const bytes = log([16.5, 16.25, 15.5]);
    const uid = await processedRecording(org, deviceId, [bytes.subarray(0, bytes.length - 40)]);
    const recording = await getRecording(uid);
    expect(recording).toMatchObject({ status: "ready", format: "ulog", message_count: 2 });
    expect(recording["warnings"]).toContain(
      "The log has no time of day: it was placed where its recording was created.",
    );
  });
});

describe("a recording of db3 files", () => {
  test("is converted once, read from what was converted, and counted and deleted with it", async () => {
    const before = await prisma.device.findUniqueOrThrow({ where: { uid: deviceId } });
    const bytes = recorded(20);
    const uid = await processedRecording(org, deviceId, [Buffer.from("version: 5\n"), bytes]);
    const recording = await getRecording(uid);
    expect(recording).toMatchObject({
      status: "ready",
      format: "db3",
      message_count: 20,
      duration_seconds: 19,
      topics: [{ name: "/level", error: null, fields: [expect.objectContaining({ path: "data", min: 0, max: 19 })] }],
      warnings: [expect.stringMatching(/^"file-0.mcap" is kept but not read/)],
    });
    const files = await getFiles(uid);
    const derived = files.find((file) => file.derivedFrom !== null)!;
    expect(files).toHaveLength(3);
    const listed = await request<{ results: { path: string; derived_from: string | null }[] }>(
      "GET",
      `/fleet/recordings/${uid}/files/`,
      { key: org.key },
    );
    expect(listed.body.results.filter((file) => file.derived_from !== null).map(({ path: name }) => name)).toEqual([
      "file-1.mcap.mcap",
    ]);
    expect(derived).toMatchObject({
      path: "file-1.mcap.mcap",
      derivedFrom: files.find((f) => f.path === "file-1.mcap")!.uid,
    });
    const total = files.reduce((sum, file) => sum + Number(file.sizeBytes), 0);
    const after = await prisma.device.findUniqueOrThrow({ where: { uid: deviceId } });
    expect([recording["size_bytes"], Number(after.storageBytes - before.storageBytes)]).toEqual([total, total]);
    const session = await prisma.uploadSession.findUniqueOrThrow({ where: { recordingId: uid } });
    expect([session.totalFiles, Number(session.totalBytes)]).toEqual([3, total]);
    const status = await request("GET", `/fleet/recordings/${uid}/upload/status/`, { key: org.key });
    expect(status.body).toMatchObject({ total_files: 2, confirmed_files: 2, total_bytes: bytes.length + 11 });

    await reprocessRecording(org.ctx, uid);
    await runJobs();
    expect(await getFiles(uid)).toEqual(files);
    expect(await getRecording(uid)).toMatchObject({ status: "ready", message_count: 20, size_bytes: total });

    await request("DELETE", `/fleet/recordings/${uid}/`, { key: org.key });
    const end = await prisma.device.findUniqueOrThrow({ where: { uid: deviceId } });
    expect(end.storageBytes).toBe(before.storageBytes);
  });

  test("is converted again over what a killed worker or an earlier version left", async () => {
    const uid = await uploadRecording(org, deviceId, [recorded(5)]);
    const [original] = await getFiles(uid);
    const key = `${original!.storageKey}-mcap`;
    await objectStore().put(key, new Blob(["left behind"]).stream(), 11);
    await runJobs();
    const [, derived] = await getFiles(uid);
    expect(await getRecording(uid)).toMatchObject({ status: "ready", message_count: 5 });
    expect((await objectStore().head(key))?.etag).toBe(derived!.etag);

    await prisma.storedFile.update({
      where: { uid: derived!.uid },
      data: { conversion: { version: 0 }, path: "old.mcap" },
    });
    await reprocessRecording(org.ctx, uid);
    await runJobs();
    const again = await getFiles(uid);
    expect(again).toHaveLength(2);
    expect(again[1]).toMatchObject({ uid: derived!.uid, sizeBytes: derived!.sizeBytes, conversion: { format: "db3" } });
    expect(readdirSync(path.join(env.DATA_DIR, "tmp")).filter((name) => name.startsWith("conversion-"))).toEqual([]);
  });

  test("that is damaged is ready with what could be read, and an error when that is nothing", async () => {
    const bytes = recorded(20_000);
    const cut = await processedRecording(org, deviceId, [bytes.subarray(0, Math.floor(bytes.length * 0.4))]);
    const recording = await getRecording(cut);
    const damaged = bytes.subarray(0, 100);
    const nothing = await getRecording(await processedRecording(org, deviceId, [damaged]));
    expect([recording["status"], nothing["status"]]).toEqual([expect.stringMatching(/ready|error/), "error"]);
    expect(nothing["error_message"]).toMatch(/^The file is a ROS 2 db3 file whose pages are damaged/);
    expect(recording["error_message"] ?? recording["warnings"]).not.toEqual([]);
  });

  test("and of other files is read from both", async () => {
    const uid = await processedRecording(org, deviceId, [
      recorded(3),
      recorded(4),
      Buffer.from("SQLite format 3\0 not really"),
    ]);
    expect(await getRecording(uid)).toMatchObject({
      status: "ready",
      message_count: 7,
      warnings: ['"file-2.mcap" is kept but not read: it is a ROS 2 db3 file whose pages are damaged.'],
    });
  });
});
