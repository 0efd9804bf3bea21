import { expect, test, vi } from "vitest";
import { TimeAxis } from "@/components/plots/time-axis";
import { advance, nextSpeed, Playback, rangeWith } from "./playback";

const bounds = { from: 0, to: 100 };

test("playing moves by the speed and ends with the recording", () => {
  expect(advance(10, 2, { speed: 5, range: null }, bounds)).toEqual({ at: 20, playing: true });
  expect(advance(99, 2, { speed: 1, range: null }, bounds)).toEqual({ at: 100, playing: false });
});

test("within a range playing begins again at its end", () => {
  const range = { from: 20, to: 30 };
  expect(advance(29, 2, { speed: 1, range }, bounds)).toEqual({ at: 21, playing: true });
  expect(advance(5, 1, { speed: 1, range }, bounds)).toEqual({ at: 20, playing: true });
});

test("speeds go from a tenth to ten times and stay at the ends", () => {
  expect([nextSpeed(1, 1), nextSpeed(1, -1), nextSpeed(10, 1), nextSpeed(0.1, -1)]).toEqual([2, 0.5, 10, 0.1]);
});

test("a start set behind the end clears the end", () => {
  expect(rangeWith({ from: 10, to: 20 }, bounds, "from", 50)).toEqual({ from: 50, to: 100 });
  expect(rangeWith(null, bounds, "to", 40)).toEqual({ from: 0, to: 40 });
});

test("listeners that learn that it plays, or plays on, know since when the playhead is where it is", () => {
  vi.stubGlobal("requestAnimationFrame", () => 1);
  vi.stubGlobal("cancelAnimationFrame", () => {});
  const playback = new Playback(new TimeAxis(0n, bounds));
  let since = performance.now();
  const known: boolean[] = [];
  playback.subscribe(() => known.push(playback.movedAt >= since));
  playback.toggle();
  expect(known).toEqual([true]);
  playback.wait({ bytesPerSecond: null, isLong: false });
  since = performance.now();
  playback.wait(null);
  expect(known.at(-1)).toBe(true);
  vi.unstubAllGlobals();
});
