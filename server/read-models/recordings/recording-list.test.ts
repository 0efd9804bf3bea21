import { describe, expect, test } from "vitest";
import { RecordingFilters } from "@/domain/recordings/schema";
import { createEvent } from "@/server/features/events/write-service";
import {
  archiveRecordings,
  deleteRecordings,
  restoreRecordings,
  tagRecordings,
} from "@/server/features/recordings/bulk-service";
import { confirmUpload, finalizeUpload, initUpload, uploadUrls } from "@/server/features/recordings/upload-service";
import { prisma } from "@/server/platform/db";
import { listRecordingOverviews } from "@/server/read-models/recordings/recording-list";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording } from "@/server/testing/factories";
import { fetchApp } from "@/server/testing/requests";

const [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
const { uid: deviceId } = await makeDevice(org);

const recording = async (status = "ready") => (await makeRecording(org, deviceId, { status })).uid;
const list = async (query: Record<string, string> = {}, of = org) =>
  (await listRecordingOverviews(of.ctx, RecordingFilters.parse(query))).results;

/** Uploads files of these sizes over HTTP, one after the other; calls `between` after each. */
async function upload(uid: string, sizes: number[], between: () => Promise<void>) {
  const files = sizes.map((size_bytes, n) => ({ path: `part-${n}.mcap`, size_bytes }));
  const { uid: sessionUid } = await initUpload(org.ctx, uid, { files });
  for (const file of files) {
    const { urls } = await uploadUrls(org.ctx, uid, { session_uid: sessionUid, file_paths: [file.path] });
    const response = await fetchApp(new URL(urls[0]!.put_url, "http://127.0.0.1"), {
      method: "PUT",
      body: new Uint8Array(file.size_bytes),
    });
    expect(response.status).toBe(200);
    await confirmUpload(org.ctx, uid, {
      session_uid: sessionUid,
      files: [{ path: file.path, etag: response.headers.get("etag") ?? "", size_bytes: file.size_bytes }],
    });
    await between();
  }
  await finalizeUpload(org.ctx, uid, { session_uid: sessionUid });
}

describe("the list for the screen", () => {
  test("counts a recording's events by type and its alerts by state", async () => {
    const uid = await recording();
    for (const type of ["error", "error", "info"] as const)
      await createEvent(org.ctx, { recording_id: uid, type, label: "x", timestamp: 5n });
    const device = { uid: deviceId, name: "arm" };
    await makeAlert(org, { recordingId: uid, device, severity: "warning" });
    await makeAlert(org, { recordingId: uid, device, severity: "critical" });
    await makeAlert(org, { recordingId: uid, device, severity: "error" });
    await prisma.alert.updateMany({ where: { recordingId: uid, severity: "error" }, data: { status: "resolved" } });
    const row = (await list()).find((each) => each.uid === uid);
    expect(row).toMatchObject({
      events: { error: 2, info: 1 },
      events_more: false,
      open_alerts: 2,
      worst_severity: "critical",
      open_by_severity: { info: 0, warning: 1, error: 0, critical: 1 },
      resolved_alerts: 1,
      upload: null,
    });
  });

  test("filters by any of several event types, and by topic", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const [a, b] = [(await makeRecording(own, device.uid)).uid, (await makeRecording(own, device.uid)).uid];
    await createEvent(own.ctx, { recording_id: a, type: "error", label: "x", timestamp: 5n });
    await createEvent(own.ctx, { recording_id: b, type: "anomaly", label: "x", timestamp: 5n });
    const uids = async (query: Record<string, string>) => (await list(query, own)).map(({ uid }) => uid);
    expect(await uids({ has_event: "error" })).toEqual([a]);
    expect(await uids({ has_event: "error,anomaly" })).toEqual([b, a]);
    expect(await uids({ has_event: "custom" })).toEqual([]);
    expect(await uids({ has_topic: "/imu" })).toEqual([]);
    expect(await list({ has_event: "error" }, other)).toEqual([]);
  });

  test("orders by when a recording began, by name and by size, page by page, and counts from a beginning", async () => {
    const device = await makeDevice(org);
    const make = (name: string, started: string, sizeBytes: bigint) =>
      makeRecording(org, device.uid, { name, sizeBytes, startedAt: new Date(started) });
    // In the order of their upload: the middle one came last.
    await make("b", "2026-03-03T10:00:00Z", 9_007_199_254_740_993n);
    await make("c", "2014-01-01T10:00:00Z", 5n);
    await make("a", "2026-03-02T10:00:00.123Z", 9_007_199_254_740_993n);
    const names = async (query: Record<string, string>) => {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const filters = RecordingFilters.parse({
          device_id: device.uid,
          limit: "1",
          ...query,
          ...(cursor !== null && { cursor }),
        });
        const page = await listRecordingOverviews(org.ctx, filters);
        found.push(...page.results.map((row) => row.name));
        cursor = page.next;
      } while (cursor !== null);
      return found.join(" ");
    };
    expect(await names({ ordering: "-started_at" })).toBe("b a c");
    expect(await names({ ordering: "started_at" })).toBe("c a b");
    expect(await names({ ordering: "name" })).toBe("a b c");
    expect(await names({ ordering: "-size_bytes" })).toBe("a b c");
    expect(await names({})).toBe("a c b");
    expect(await names({ started_since: "2026-03-02T10:00:00.123Z" })).toBe("a b");
    expect(await names({ started_until: "2026-03-02T10:00:00.123Z" })).toBe("c");
  });

  test("has what covers an instant or a day, also when it began before, and nothing that began too long before", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const make = (name: string, from: string, to: string) =>
      makeRecording(own, device.uid, { name, startedAt: new Date(from), endedAt: new Date(to) });
    await make("day before", "2026-11-23T08:00Z", "2026-11-23T09:00Z");
    await make("over midnight", "2026-11-23T22:00Z", "2026-11-24T02:00Z");
    await make("long", "2026-11-22T10:00Z", "2026-11-24T10:00Z");
    await make("too long", "2026-11-20T10:00Z", "2026-11-25T10:00Z");
    await make("empty", "2026-11-24T00:00Z", "2026-11-24T00:00Z");
    await make("next day", "2026-11-25T00:00Z", "2026-11-25T01:00Z");
    const names = async (covers: string, more: Record<string, string> = {}) =>
      (await list({ covers, ordering: "started_at", ...more }, own)).map(({ name }) => name);
    const day = "2026-11-24T00:00Z/2026-11-25T00:00Z";
    expect(await names(day)).toEqual(["long", "over midnight", "empty"]);
    expect(await names(day, { ordering: "-created_at" })).toEqual(["empty", "long", "over midnight"]);
    expect(await names(day, { device_id: device.uid, limit: "2" })).toEqual(["long", "over midnight"]);
    expect(await names("2026-11-24T01:00Z")).toEqual(["long", "over midnight"]);
    // Both ends of a recording are of it.
    expect(await names("2026-11-24T02:00Z")).toEqual(["long", "over midnight"]);
    expect(await names("2026-11-25T00:00Z")).toEqual(["next day"]);
    expect(await list({ covers: day }, other)).toEqual([]);
    for (const wrong of ["", "noon", "-2h", `${day}/2026-11-26T00:00Z`, "2026-11-25T00:00Z/2026-11-24T00:00Z"])
      expect(RecordingFilters.safeParse({ covers: wrong }).success, wrong).toBe(false);
  });

  test("returns how much of an upload is confirmed", async () => {
    const uid = await recording("uploading");
    const seen: unknown[] = [];
    await upload(uid, [10, 30], async () => void seen.push((await list()).find((row) => row.uid === uid)?.upload));
    expect(seen).toMatchObject([
      { confirmed_files: 1, total_files: 2, confirmed_bytes: 10, total_bytes: 40 },
      { confirmed_files: 2, total_files: 2, confirmed_bytes: 40 },
    ]);
  });
});

test("a device's storage is the sum of its recordings' sizes, through confirming, finalizing and deleting", async () => {
  const device = await makeDevice(org);
  const storage = async () =>
    Number((await prisma.device.findUniqueOrThrow({ where: { uid: device.uid } })).storageBytes);
  const [a, b] = [
    (await makeRecording(org, device.uid, { status: "uploading" })).uid,
    (await makeRecording(org, device.uid, { status: "uploading" })).uid,
  ];
  const seen: number[] = [];
  await upload(a, [10, 30], async () => void seen.push(await storage()));
  await upload(b, [5], async () => void seen.push(await storage()));
  expect([...seen, await storage()]).toEqual([10, 40, 45, 45]);
  await deleteRecordings(org.ctx, [a]);
  expect(await storage()).toBe(5);
  await deleteRecordings(org.ctx, [b]);
  expect(await storage()).toBe(0);
});

describe("bulk actions on recordings", () => {
  test("tag, archive, restore and delete each recording on its own, and none of another organization", async () => {
    const [a, b] = [await recording("uploading"), await recording("uploading")];
    await tagRecordings(org.ctx, { uids: [a], add: ["seen"] });
    const tagged = await tagRecordings(org.ctx, { uids: [a, b, "nonsense"], add: ["seen", "night"] });
    expect(tagged).toMatchObject({
      succeeded: 2,
      failed: 1,
      results: [{ added: ["night"] }, { added: ["seen", "night"] }, { error: "Not found." }],
    });
    expect((await list({ tags: "seen,night" })).map(({ uid }) => uid).sort()).toEqual([a, b].sort());
    await tagRecordings(org.ctx, { uids: [a, b], remove: ["night"] });
    expect(await list({ tags: "night" })).toEqual([]);

    expect(await archiveRecordings(org.ctx, [a, b])).toMatchObject({
      succeeded: 2,
      results: [{ before: "uploading" }, {}],
    });
    expect(await archiveRecordings(org.ctx, [a])).toMatchObject({ results: [{ before: "archived" }] });
    // A recording that never had files cannot be restored.
    expect(await restoreRecordings(org.ctx, [a])).toMatchObject({
      failed: 1,
      results: [{ error: expect.stringContaining("files") }],
    });
    for (const act of [archiveRecordings, restoreRecordings, deleteRecordings])
      expect((await act(other.ctx, [a, b])).succeeded).toBe(0);
    expect((await deleteRecordings(org.ctx, [a, b])).succeeded).toBe(2);
  });
});
