import { beforeAll, describe, expect, test } from "vitest";
import { attachmentRecord, McapFileWriter, metadataRecord } from "@/engine/testing/write-mcap";
import type { RecordingAttachment } from "@/server/features/recordings/resource";
import { prisma } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { epoch, processedRecording } from "@/server/testing/processing";
import { createTrpcCaller, request } from "@/server/testing/requests";
import { filesRouter } from "@/server/transport/files/files-router";

let org: TestOrganization;
let uid: string;

const calibration = Buffer.from("<script>alert(1)</script>".repeat(1_000));

beforeAll(async () => {
  org = await makeOrganization();
  const device = await makeDevice(org);
  const parts: Buffer[] = [];
  const writer = await McapFileWriter.create((bytes) => parts.push(bytes), [{ topic: "/a", messageEncoding: "json" }]);
  writer.add({ topic: "/a", time: epoch, data: Buffer.from('{"n":1}') });
  writer.addRecord(attachmentRecord("../calibration.html", "text/html", calibration));
  writer.add({ topic: "/a", time: epoch + 1_000n, data: Buffer.from('{"n":2}') });
  writer.addRecord(metadataRecord("rosbag2", { ROS_DISTRO: "jazzy", nul: "a\0b", __proto: "x" }));
  writer.close();
  uid = await processedRecording(org, device.uid, [Buffer.concat(parts)]);
});

const list = (key = org.key, recording = uid) =>
  request<{ results: RecordingAttachment[] }>("GET", `/fleet/recordings/${recording}/attachments/`, { key });

async function links(): Promise<[URL, URL]> {
  const { body } = await list();
  const [first, second] = body.results.map(({ download_url }) => new URL(download_url!));
  return [first!, second!];
}

const download = (url: URL, headers: Record<string, string> = {}, method = "GET") =>
  filesRouter.request(`${url.pathname}${url.search}`, { headers, method });

describe("attachments of a recording", () => {
  test("are listed with their metadata over REST and tRPC", async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      {
        kind: "attachment",
        name: "../calibration.html",
        media_type: "text/html",
        size_bytes: calibration.length,
        log_time_ns: "7",
        create_time_ns: "8",
        values: null,
        truncated: false,
      },
      {
        kind: "metadata",
        name: "rosbag2",
        media_type: "application/json",
        log_time_ns: null,
        values: { ROS_DISTRO: "jazzy", nul: "a\ufffdb", __proto: "x" },
      },
    ]);
    const caller = createTrpcCaller(org);
    const same = await caller.recordings.attachments({ uid });
    expect(same.map(({ name }) => name)).toEqual(["../calibration.html", "rosbag2"]);
  });

  test("are downloaded as the bytes that were recorded, and never shown by a browser", async () => {
    const [url] = await links();
    const response = await download(url);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(calibration)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": expect.stringMatching(/^attachment; filename="calibration\.html"/),
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
      "content-length": String(calibration.length),
      "cache-control": "private, no-store",
    });
  });

  test("are downloaded by ranges of themselves, which never leave them", async () => {
    const [url] = await links();
    const middle = await download(url, { range: "bytes=8-16" });
    expect([middle.status, await middle.text()]).toEqual([206, "alert(1)<"]);
    expect(middle.headers.get("content-range")).toBe(`bytes 8-16/${calibration.length}`);
    const beyond = await download(url, { range: "bytes=24990-99999" });
    expect([beyond.status, await beyond.text()]).toEqual([206, calibration.subarray(24_990).toString()]);
    expect((await download(url, { range: "bytes=25000-" })).status).toBe(416);
    const head = await download(url, {}, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "25000", ""]);
    const known = await download(url, { "if-none-match": head.headers.get("etag")! });
    expect(known.status).toBe(304);
  });

  test("of metadata are downloaded as JSON", async () => {
    const [, url] = await links();
    const response = await download(url);
    expect(response.headers.get("content-disposition")).toContain('"rosbag2.json"');
    expect(await response.json()).toEqual({
      name: "rosbag2",
      metadata: { ROS_DISTRO: "jazzy", nul: "a\0b", __proto: "x" },
    });
  });

  test("have links that grant nothing else", async () => {
    const [first, second] = await links();
    const changes: [URL, (query: URLSearchParams) => void][] = [
      [first, (query) => query.delete("part")],
      [first, (query) => query.set("part", "bytes:0-10")],
      [first, (query) => query.set("part", second.searchParams.get("part")!)],
      [second, (query) => query.set("part", query.get("part")!.replace("metadata", "bytes"))],
      [first, (query) => query.set("by", query.get("part")!)],
    ];
    for (const [url, change] of changes) {
      const changed = new URL(url);
      change(changed.searchParams);
      expect((await download(changed)).status).toBe(404);
    }
  });

  test("are not there for another organization", async () => {
    const other = await makeOrganization();
    expect((await list(other.key)).status).toBe(404);
  });

  test("are 404 once their file was deleted, or is shorter than they are", async () => {
    const [url] = await links();
    const file = await prisma.storedFile.findFirstOrThrow({ where: { recordingId: uid } });
    const stored = await objectStore().readBytes(file.storageKey, 0, Number(file.sizeBytes));
    const put = (bytes: Uint8Array) =>
      objectStore().put(
        file.storageKey,
        new Blob([new Uint8Array(bytes)]).stream() as ReadableStream<Uint8Array>,
        bytes.length,
      );
    await put(stored.subarray(0, 100));
    expect((await download(url)).status).toBe(404);
    await objectStore().delete(file.storageKey);
    expect((await download(url)).status).toBe(404);
    await put(stored);
    expect((await download(url)).status).toBe(200);
  });
});
