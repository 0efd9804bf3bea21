import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readClip } from "@/engine/testing/clips";
import { videoRecording, videoTime } from "@/engine/testing/video-recording";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures } from "@/server/testing/processing";
import { fetchApp } from "@/server/testing/requests";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "frames-"));
const before = process.env.PATH;
let org: TestOrganization;
let uid: string;
let temperaturesUid: string;
let cookie: string;

beforeAll(async () => {
  org = await makeOrganization();
  cookie = await sessionCookie(org.owner, { slug: org.slug });
  const { uid: deviceId } = await makeDevice(org);
  const video = await videoRecording([
    { topic: "/h265", clip: "h265", form: "packet" },
    { topic: "/h264-b", clip: "h264-b", form: "ros2" },
    { topic: "/keyless", clip: "h264", form: "ros2", has: (n) => n % 15 > 0 },
  ]);
  uid = await processedRecording(org, deviceId, [video]);
  temperaturesUid = await processedRecording(org, deviceId, [await jsonRecording({ "/temp": temperatures([1, 2]) })]);
  // In place of ffmpeg: its picture is what it receives.
  fs.writeFileSync(path.join(folder, "ffmpeg"), "#!/bin/sh\nexec /bin/cat\n", { mode: 0o755 });
});
beforeEach(() => void (process.env.PATH = folder));
afterEach(() => void (process.env.PATH = before));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const get = async (topic: string, at: bigint | string, by = cookie, of = uid) =>
  fetchApp(`/media/recordings/${of}/frame?topic=${topic}&t=${at}`, { headers: { cookie: by } });

describe("a picture that the server decodes", () => {
  test("comes of the units from the keyframe before it to those it needs", async () => {
    const response = await get("/h265", videoTime(20) + 5n);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect(response.headers.get("cache-control")).toBe("private, max-age=3600");
    const units = readClip("h265").slice(15, 21);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.concat(units));

    // Two more, which may be shown after it.
    const reordered = await get("/h264-b", videoTime(20));
    expect(Buffer.from(await reordered.arrayBuffer())).toEqual(Buffer.concat(readClip("h264-b").slice(15, 23)));
  });

  test("is of its organization only, and of topics of video", async () => {
    const other = await makeOrganization();
    const foreign = await sessionCookie(other.owner, { slug: other.slug });
    expect((await get("/h265", videoTime(20), foreign)).status).toBe(404);
    expect((await get("/h265", videoTime(20), "")).status).toBe(401);
    expect(await (await get("/temp", "1", cookie, temperaturesUid)).text()).toContain("no video");
    for (const [topic, at, text] of [
      ["/unknown", "1", "not a topic"],
      ["/keyless", String(videoTime(20)), "no keyframe before"],
      ["/h265", "1", "no keyframe before"],
      ["/h265", "soon", "nanoseconds"],
    ] as const) {
      const response = await get(topic, at);
      expect([topic, response.status, await response.text()]).toEqual([topic, 400, expect.stringContaining(text)]);
    }
  });

  test("is refused without ffmpeg, and when ffmpeg gives none", async () => {
    process.env.PATH = "/nowhere";
    const missing = await get("/h265", videoTime(20));
    expect([missing.status, await missing.json()]).toEqual([503, { detail: "The server has no ffmpeg." }]);
    process.env.PATH = path.join(folder, "failing");
    fs.mkdirSync(process.env.PATH);
    fs.writeFileSync(path.join(process.env.PATH, "ffmpeg"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const failing = await get("/h265", videoTime(20));
    expect([failing.status, await failing.text()]).toEqual([400, expect.stringContaining("damaged before")]);
  });

  test("waits for its turn only where few others do", async () => {
    const go = path.join(folder, "go");
    process.env.PATH = path.join(folder, "slow");
    fs.mkdirSync(process.env.PATH);
    const script = `#!/bin/sh\nwhile [ ! -e ${go} ]; do /bin/sleep 0.05; done\necho picture\n`;
    fs.writeFileSync(path.join(process.env.PATH, "ffmpeg"), script, { mode: 0o755 });
    let refused = 0;
    const statuses = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        const { status } = await get("/h265", videoTime(n));
        if (status === 503) refused += 1;
        // Two at a time, and sixteen that wait.
        if (refused === 6) fs.writeFileSync(go, "");
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(18);
  });
});
