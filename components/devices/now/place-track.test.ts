import { expect, test } from "vitest";
import { toTrack } from "./place-track";

const time = (minutes: number) => new Date(minutes * 60_000).toISOString();
const point = (minutes: number, value: number) => [time(minutes), value, value, value] as const;

test("a way has its places in order, ends where the device is, and breaks where nothing came", () => {
  const { track, startMs } = toTrack({
    isLocal: false,
    north: [point(0, 52), point(5, 52.1), point(60, 52.2)],
    east: [point(0, 13), point(5, 13.1), point(60, 13.2)],
    place: { north: 52.3, east: 13.3 },
  });
  expect(startMs).toBe(0);
  expect(track.latitudes).toEqual([52, 52.1, null, 52.2, 52.3]);
  expect(track.longitudes).toEqual([13, 13.1, null, 13.2, 13.3]);
  expect(track.times_ms.map((ms) => ms / 60_000)[3]).toBe(60);
});

test("a place alone is a way of one place, and metres keep their distances", () => {
  const { track } = toTrack({ isLocal: true, north: [], east: [], place: { north: 110.574, east: 0 } });
  expect(track.latitudes[0]).toBeCloseTo(0.001, 6);
  expect([track.latitudes.length, track.longitudes[0]]).toEqual([1, 0]);
});
