import { describe, expect, test } from "vitest";
import { TrackThinner, type TrackRows } from "@/engine/messages/scenes/track";

const second = 1e9;
const toRows = (places: readonly (readonly [time: number, latitude: number, longitude: number, status?: number])[]) => {
  const rows: TrackRows = {
    times: places.map(([time]) => time * second),
    latitudes: places.map(([, latitude]) => latitude),
    longitudes: places.map(([, , longitude]) => longitude),
    status: places.map(([, , , status]) => status ?? 0),
    values: null,
  };
  return rows;
};

describe("a track", () => {
  test("keeps all places of a short one, to the centimetre", () => {
    const thinner = new TrackThinner(2 * second, 3, 100);
    thinner.add(toRows([[0, 47.123456789012, 8]])); // groups of rows come one after the other
    thinner.add(
      toRows([
        [1, 47.2, 8.000_000_1],
        [2, 47.3, 8.2],
      ]),
    );
    expect(thinner.finish()).toEqual({
      times_ms: [0, 1000, 2000],
      latitudes: [47.12345679, 47.2, 47.3],
      longitudes: [8, 8.0000001, 8.2],
      values: [],
      without_fix: 0,
    });
  });

  test("is thinned evenly in time, with its first and last place", () => {
    const places = Array.from({ length: 100_000 }, (_, at) => [at / 100, 47 + at * 1e-6, 8] as const);
    const thinner = new TrackThinner(999.99 * second, places.length, 1000);
    for (let at = 0; at < places.length; at += 7_777) thinner.add(toRows(places.slice(at, at + 7_777)));
    const { times_ms: times, latitudes } = thinner.finish();
    expect(times.length).toBeGreaterThan(900);
    expect(times.length).toBeLessThanOrEqual(1000);
    expect([times[0], times.at(-1)]).toEqual([0, 999_990]);
    expect([latitudes[0], latitudes.at(-1)]).toEqual([47, 47.099999]);
    const steps = times.slice(1).map((time, at) => time - times[at]!);
    expect(Math.max(...steps)).toBeLessThan(1_100);
  });

  test("is interrupted where there is no fix, and where nothing was sent", () => {
    const thinner = new TrackThinner(24 * second, 7, 100);
    thinner.add(
      toRows([
        [0, 0, 0],
        [1, 47, 8],
        [2, 47, 9],
        [3, 47, 10, -1],
        [4, NaN, 10],
        [5, 91, 10],
        [6, 48, 10],
        [7, 49, 10],
        [30, 50, 10],
      ]),
    );
    expect(thinner.finish()).toEqual({
      times_ms: [1000, 2000, 3000, 6000, 7000, 7000, 30_000],
      latitudes: [47, 47, null, 48, 49, null, 50],
      longitudes: [8, 9, null, 10, 10, null, 10],
      values: [],
      without_fix: 4,
    });
  });

  test("crosses the equator, and leaves out messages that go back in time", () => {
    const thinner = new TrackThinner(3 * second, 4, 100);
    thinner.add(
      toRows([
        [0, -1, 8],
        [1, 0, 8],
        [0.5, 5, 5],
        [2, 1, 0],
      ]),
    );
    expect(thinner.finish()).toMatchObject({ latitudes: [-1, 0, 1], longitudes: [8, 8, 0] });
  });

  test("has the value of each place that is kept, where it is a number", () => {
    const thinner = new TrackThinner(3 * second, 4, 100);
    const rows = toRows([
      [0, 47, 8],
      [1, 47.1, 8],
      [2, 0, 0],
      [3, 47.3, 8],
    ]);
    thinner.add({ ...rows, values: [1.5, NaN, 3, 4] });
    const { latitudes, values } = thinner.finish();
    expect(latitudes).toEqual([47, 47.1, null, 47.3]);
    expect(values).toEqual([1.5, null, null, 4]);
  });
});
