import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { clip } from "@/engine/testing/clips";
import { splitByteStream } from "@/engine/video/nal-units";
import { examineVideo } from "@/server/features/datasets/video";
import { findFfmpeg } from "@/server/platform/video/ffmpeg";

const folder = mkdtempSync(path.join(tmpdir(), "posters-"));
afterAll(() => rmSync(folder, { recursive: true }));
const movie = new Uint8Array(readFileSync("engine/testing/clips/h264-b.mp4"));
const { signal } = new AbortController();
const examine = (bytes: Uint8Array, program: string | null) =>
  examineVideo(memorySource(bytes), "video/mp4", signal, program);

/** A program in place of ffmpeg, which keeps what it is given and answers with a picture. */
async function writeProgram(): Promise<{ program: string; readInput: () => Uint8Array }> {
  const [program, input, picture] = ["ffmpeg", "input", "picture"].map((name) => path.join(folder, name));
  await sharp({ create: { width: 48, height: 32, channels: 3, background: "#c04020" } })
    .png()
    .toFile(picture ?? "");
  writeFileSync(program ?? "", `#!/bin/sh\n/bin/cat > ${input}\n/bin/cat ${picture}\n`, { mode: 0o755 });
  return { program: program ?? "", readInput: () => new Uint8Array(readFileSync(input ?? "")) };
}

test("the first keyframe, with the parameters of its stream, becomes the picture of a video", async () => {
  const { program, readInput } = await writeProgram();
  const { thumbnail, tint, metadata } = await examine(movie, program);
  expect(metadata).toMatchObject({ format: "mp4", frame_count: clip.pictures });
  expect(tint).toMatch(/^#[bc].[34].[12].$/);
  expect(await sharp(thumbnail ?? undefined).metadata()).toMatchObject({ format: "webp", width: 48, height: 32 });
  const types = splitByteStream(readInput(), () => false).map((unit) => (unit[0] ?? 0) & 31);
  expect(types.slice(0, 2)).toEqual([7, 8]);
  expect(types).toContain(5);
  expect(types).not.toContain(1);
});

test("a video is an item without a picture where nothing decodes it", async () => {
  expect(await examine(movie, null)).toMatchObject({ thumbnail: null, tint: null });
  expect(await examine(movie, "/bin/false")).toMatchObject({ thumbnail: null, tint: null });
});

const program = findFfmpeg();
describe.skipIf(program === null)("with ffmpeg", () => {
  test("the picture of a video is its first one", async () => {
    const { thumbnail } = await examine(movie, program);
    const { data, info } = await sharp(thumbnail ?? undefined)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([320, Math.round((320 * clip.height) / clip.width)]);
    // The disc of the first picture.
    const at = (100 * info.width + 40) * info.channels;
    for (const [channel, value] of [240, 120, 30].entries())
      expect(Math.abs((data[at + channel] ?? 0) - value)).toBeLessThan(40);
  });

  test.each([
    ["h265", ["-c:v", "libx265", "-tag:v", "hvc1", "-x265-params", "log-level=none"]],
    ["vp9", ["-c:v", "libvpx-vp9"]],
    ["av1", ["-c:v", "libaom-av1", "-cpu-used", "8"]],
  ])("%s has a picture too", async (name, encoder) => {
    const file = path.join(folder, `${name}.mp4`);
    const source = ["-f", "lavfi", "-i", "color=c=0xC04020:size=64x48:rate=5", "-frames:v", "2", "-pix_fmt", "yuv420p"];
    const made = spawnSync(program ?? "", ["-v", "quiet", ...source, ...encoder, file]);
    // Not every build has every encoder.
    if (made.status !== 0) return;
    const { tint } = await examine(new Uint8Array(readFileSync(file)), program);
    expect(tint).toMatch(/^#[bc].[34].[12].$/);
  });
});
