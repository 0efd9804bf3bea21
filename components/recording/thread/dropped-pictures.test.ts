import { expect, test } from "vitest";
import { DroppedPictures } from "./dropped-pictures";

const at = (tenths: number) => BigInt(tenths) * 100_000_000n;

test("the part that was left out is of the pictures of the last two seconds", () => {
  const dropped = new DroppedPictures();
  for (let n = 0; n < 10; n++) expect(dropped.measure(at(n), 3 * n)).toBe(0);
  dropped.add(at(10), 9);
  expect(dropped.measure(at(10), 30)).toBe(0.3);
  expect(dropped.measure(at(20), 60)).toBeCloseTo(9 / 57);
  expect(dropped.measure(at(31), 93)).toBe(0);
});

test("what lies after the playhead does not count once it went back, and never more than all is left out", () => {
  const dropped = new DroppedPictures();
  dropped.add(at(10), 40);
  expect(dropped.measure(at(10), 8)).toBe(1);
  expect(dropped.measure(at(5), 2)).toBe(0);
});
