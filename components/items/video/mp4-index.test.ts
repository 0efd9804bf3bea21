import fs from "node:fs";
import { createFile } from "mp4box";
import { expect, test } from "vitest";
import { readVideoIndex, type ReadBytes } from "@/components/items/video/mp4-index";

const makeReader =
  (bytes: Uint8Array): ReadBytes =>
  (offset, length) =>
    Promise.resolve(new Uint8Array(bytes.subarray(offset, offset + length)));

const file = new Uint8Array(fs.readFileSync(new URL("../../../engine/testing/clips/h264-b.mp4", import.meta.url)));

test("a video's pictures are numbered as they are shown, and found in the order in which they are decoded", async () => {
  const { width, height, config, samples, times } = await readVideoIndex(makeReader(file), file.length);
  expect([width, height, samples.length]).toEqual([480, 272, 60]);
  expect(config.codec).toMatch(/^avc1\./);
  // The parameters of the stream: version 1, then the profile that the name of the codec has.
  const description = new Uint8Array(config.description as Uint8Array<ArrayBuffer>);
  expect([description[0], description[1]]).toEqual([1, Number.parseInt(config.codec.slice(5, 7), 16)]);
  expect(samples.map(({ frame }) => frame).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at));
  expect(samples.some(({ frame }, at) => frame !== at)).toBe(true);
  expect(samples.filter(({ isKey }) => isKey).map(({ frame }) => frame)).toEqual([0, 15, 30, 45]);
  expect([times[0], times[1], times[59]].map((time) => time?.toFixed(4))).toEqual(["0.0000", "0.0333", "1.9667"]);
  const ends = samples.map(({ offset, size }) => offset + size);
  expect(Math.max(...ends)).toBeLessThanOrEqual(file.length);
});

test("a video in fragments has the pictures of all of them", async () => {
  const movie = createFile();
  const track = movie.addTrack({ width: 320, height: 180, timescale: 1_000 });
  for (let frame = 0; frame < 5; frame++)
    movie.addSample(track, new Uint8Array(10).fill(frame), {
      duration: 40,
      dts: frame * 40,
      cts: frame * 40,
      is_sync: frame % 2 === 0,
    });
  const bytes = new Uint8Array(movie.getBuffer().buffer);
  const { samples, times } = await readVideoIndex(makeReader(bytes), bytes.length);
  expect(samples.map(({ isKey }) => isKey)).toEqual([true, false, true, false, true]);
  expect([...times].map((time) => Math.round(time * 1_000))).toEqual([0, 40, 80, 120, 160]);
  expect(samples.map(({ offset, size }) => [...bytes.subarray(offset, offset + size)])).toEqual(
    [0, 1, 2, 3, 4].map((value) => new Array(10).fill(value)),
  );
});

test("what has no index is refused", async () => {
  await expect(readVideoIndex(makeReader(file.subarray(0, 2_000)), 2_000)).rejects.toThrow("no readable index");
});
