import { expect, test } from "vitest";
import { describeMany } from "./source";

const preview = (members: Partial<Parameters<typeof describeMany>[0]>) => ({
  moments: 0,
  empty: 0,
  frames: 0,
  topics: [],
  present: 0,
  refused: null,
  max_frames: 5_000,
  ...members,
});

test("many moments say how many frames they bring, and how many of them have nothing", () => {
  expect(describeMany(preview({ moments: 30, empty: 1, frames: 60, present: 4 }))).toBe(
    "About 60 frames of 30 moments; 1 have nothing of it; 4 are in it already",
  );
  expect(describeMany(preview({ moments: 1, frames: 9_000, refused: "too_many" }))).toMatch(
    /^About 9,000 frames are too/,
  );
});

test("where nothing would be added, the reason is what was chosen, what was recorded, or that there are no moments", () => {
  const empty = preview({ empty: 31 });
  expect(describeMany(empty)).toBe("No camera recorded any of these moments, or the recording is gone.");
  expect(describeMany(preview({ empty: 1 }), { kinds: ["points"] })).toBe(
    "No lidar recorded this moment, or the recording is gone.",
  );
  expect(describeMany(empty, { kinds: ["image", "points"] })).toMatch(/^No camera and no lidar recorded any of these/);
  expect(describeMany(empty, { kinds: [], clip: true })).toMatch(/^Nothing was recorded at any of these moments/);
  expect(describeMany(empty, { kinds: [] })).toBe("Choose what to add.");
  expect(describeMany(preview({}))).toBe("There are no moments to add.");
});
