import { expect, test } from "vitest";
import { memorySource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { openRecording } from "@/engine/formats/reader/reader";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { findOverlay } from "@/engine/messages/pictures/picture-overlays";
import { writeMcap } from "@/engine/testing/write-mcap";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

const tenth = 100_000_000n;
const start = 17_700_000_000n * tenth;
const at = (tenths: number) => start + BigInt(tenths) * tenth;
const topic = "/shapes";

/** Circles of these tenths of a second, each as wide as that, logged half a tenth late. */
async function openChunks(...times: number[]) {
  const toStamp = (time: bigint) => ({ sec: Number(time / (10n * tenth)), nsec: Number(time % (10n * tenth)) });
  const file = await writeMcap(
    [
      {
        topic,
        messageEncoding: "json",
        schemaName: "foxglove.ImageAnnotations",
        schemaEncoding: "jsonschema",
        schema: "{}",
      },
    ],
    times.map((time) => {
      const circle = { timestamp: toStamp(at(time)), position: { x: 1, y: 1 }, diameter: time };
      return { topic, time: at(time) + tenth / 2n, data: Buffer.from(JSON.stringify({ circles: [circle] })) };
    }),
    { chunkBytes: 64 },
  );
  const source = { ...memorySource(file), id: "file" };
  const reader = await openRecording([source], await recordingCodecs(), { timeBudgetMs: 20_000 });
  await reader.summary();
  return openPacked(reader.pack(), new Map([["file", source]]), await recordingCodecs())!.chunks;
}

/** Of which tenth the circle is that is drawn over the picture of another, and whether it belongs to it. */
async function look(chunks: Awaited<ReturnType<typeof openChunks>>, picture: number, hold: bigint | null) {
  const seen = { time: at(picture), stamp: at(picture) };
  const found = await findOverlay(chunks, new MessageDecoders(), { topic, period: tenth, hold }, seen);
  const [circle] = found?.shapes ?? [];
  return circle?.kind === "circle" && { of: circle.radius * 2, matches: found?.matches };
}

test("the annotations nearest to a picture are drawn, and do not belong to it beyond half a period", async () => {
  const chunks = await openChunks(10, 20, 40);
  expect(await look(chunks, 20, null)).toEqual({ of: 20, matches: true });
  expect(await look(chunks, 18, null)).toEqual({ of: 20, matches: false });
  expect(await look(chunks, 30, null)).toBe(false);
});

test("annotations that are held stay as long as that after their time, and none is drawn before its time", async () => {
  const chunks = await openChunks(10, 20, 40);
  expect(await look(chunks, 18, 10n * tenth)).toEqual({ of: 10, matches: true });
  expect(await look(chunks, 20, 10n * tenth)).toEqual({ of: 20, matches: true });
  expect(await look(chunks, 30, 10n * tenth)).toEqual({ of: 20, matches: true });
  expect(await look(chunks, 31, 10n * tenth)).toBe(false);
  expect(await look(chunks, 39, 100n * tenth)).toEqual({ of: 20, matches: true });
  expect(await look(chunks, 90, 100n * tenth)).toEqual({ of: 40, matches: true });
  expect(await look(chunks, 9, 100n * tenth)).toBe(false);
  // Its own picture has it in any case.
  expect(await look(chunks, 40, 0n)).toEqual({ of: 40, matches: true });
});
