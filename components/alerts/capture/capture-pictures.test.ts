import { expect, test } from "vitest";
import { describeOffset, toTopicPictures } from "./capture-pictures";

const picture = (topic: string, offset: bigint) => ({
  topic,
  wanted_ms: 0,
  offset_ns: String(offset),
  width: 8,
  height: 6,
  size_bytes: 100,
});

test("pictures stand by time for each camera, with their numbers in the capture", () => {
  const kept = [
    picture("/front", -5_000_000n),
    picture("/left", 3_000_000_000n),
    picture("/front", -2_000_000_000n),
    picture("/front", 990_000_000n),
  ];
  const topics = toTopicPictures(kept);
  expect(
    topics.map(({ topic, pictures, atTrigger }) => [topic, pictures.map(({ index }) => index), atTrigger.index]),
  ).toEqual([
    ["/front", [2, 0, 3], 0],
    ["/left", [1], 1],
  ]);
});

test.each([
  ["-2000000000", "2.0 s before"],
  ["-49000000", "at the moment"],
  ["0", "at the moment"],
  ["990000000", "1.0 s after"],
])("an offset of %s ns is %s", (offset, text) => {
  expect(describeOffset(offset)).toBe(text);
});
