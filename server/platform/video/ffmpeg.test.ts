import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { readClip, type ClipName } from "@/engine/testing/clips";
import { decodePicture, findFfmpeg, VideoUndecoded, type WantedPicture } from "@/server/platform/video/ffmpeg";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ffmpeg-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** A program in place of ffmpeg. */
function writeProgram(name: string, script: string): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, `#!${script}\n`, { mode: 0o755 });
  return file;
}

const wanted: WantedPicture = {
  codec: "h264",
  units: [Uint8Array.of(1, 2), Uint8Array.of(3)],
  width: 8,
  height: 6,
  index: 1,
  maxSide: 640,
};
const run = (program: string, signal = new AbortController().signal) => decodePicture(program, wanted, signal);

test("ffmpeg is found in the folders of the path, and only there", () => {
  const file = writeProgram("ffmpeg", "/bin/sh");
  expect(findFfmpeg(`/nowhere:${folder}`)).toBe(file);
  expect(findFfmpeg("/nowhere:.")).toBeNull();
});

test("the process receives the units, and none of our settings", async () => {
  expect(await run(writeProgram("cat", "/bin/sh\nexec /bin/cat"))).toEqual(Uint8Array.of(1, 2, 3));
  process.env.A_SECRET = "of the server";
  const names = Buffer.from(await run(writeProgram("env", "/bin/sh\nexec /usr/bin/env"))).toString();
  delete process.env.A_SECRET;
  expect(names).not.toContain("A_SECRET");
  expect(names).not.toContain("HOME=");
});

test("a process without a picture, with too large a one, or with too much memory is refused", async () => {
  await expect(run(writeProgram("none", "/bin/sh\nexit 1"))).rejects.toThrow(VideoUndecoded);
  await expect(run(writeProgram("many", "/bin/sh\nexec /usr/bin/yes"))).rejects.toThrow("too large");
  const hog = `${process.execPath}\nglobalThis.held = Buffer.alloc(700e6, 1); setInterval(() => {}, 1000);`;
  await expect(run(writeProgram("hog", hog))).rejects.toThrow("more than 512 MB of memory");
});

test("a process ends when its request does", async () => {
  const stop = new AbortController();
  const running = run(writeProgram("sleep", "/bin/sh\nexec /bin/sleep 60"), stop.signal);
  stop.abort(new Error("gone"));
  await expect(running).rejects.toThrow("gone");
});

const program = findFfmpeg();
describe.skipIf(program === null)("with ffmpeg", () => {
  test.each(["h264", "h264-b", "h265", "vp9", "av1"] as const)("the exact picture of %s is decoded", async (name) => {
    const codec = name === "h264-b" ? "h264" : name;
    const units = readClip(name satisfies ClipName).slice(15, 15 + 11);
    const signal = AbortSignal.timeout(10_000);
    const picture = { codec, units, width: 480, height: 272, index: 8, maxSide: 240 } as const;
    const jpeg = await decodePicture(program!, picture, signal);
    const { data, info } = await sharp(jpeg).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([240, 136]);
    let number = 0;
    for (let bit = 0; bit < 16; bit++) if (data[7 * info.width + bit * 15 + 7]! > 128) number |= 1 << bit;
    expect(number).toBe(23);
  });
});
