import { describe, expect, test } from "vitest";
import { LocalPlane } from "./place";
import { TrackLine } from "./track-line";

describe("a plane", () => {
  // Distances by Vincenty's formula on the WGS 84 ellipsoid.
  test.each([
    ["north at 47°", [47, 8], [47.01, 8], [0, 1111.7]],
    ["east at 47°", [47, 8], [47, 8.01], [760.6, 0]],
    ["north at the equator", [0, 10], [0.01, 10], [0, 1105.7]],
    ["east at the equator", [0, 10], [0, 10.01], [1113.2, 0]],
    ["over the antimeridian", [0, 179.995], [0, -179.995], [1113.2, 0]],
    ["west over it", [0, -179.995], [0, 179.995], [-1113.2, 0]],
  ] as const)("has true distances: %s", (_name, from, to, [x, y]) => {
    const place = new LocalPlane(from[0], from[1]).place(to[0], to[1]);
    expect(place.x).toBeCloseTo(x, 0);
    expect(place.y).toBeCloseTo(y, 0);
  });
});

describe("a track", () => {
  // East for ten seconds, unknown for ten, then north.
  const line = new TrackLine(
    {
      times_ms: [0, 10_000, 10_000, 20_000, 30_000],
      latitudes: [0, 0, null, 0, 0.001],
      longitudes: [10, 10.001, null, 10.002, 10.002],
      values: [5, null, null, 25, 15],
      without_fix: 3,
    },
    100,
  );

  test("is located between its places, with the direction of its motion", () => {
    const located = line.locate(105);
    expect(located).toMatchObject({ latitude: 0, heading: Math.PI / 2 });
    expect(located?.longitude).toBeCloseTo(10.0005, 9);
    expect(located?.x).toBeCloseTo(55.66, 1);
    expect(line.locate(125)?.heading).toBeCloseTo(0);
    expect(line.locate(500)).toMatchObject({ latitude: 0.001, longitude: 10.002 });
  });

  test("is nowhere before its first place, and where there was no fix", () => {
    expect(line.locate(99)).toBeNull();
    expect(line.locate(115)).toBeNull();
    expect(line.locate(120)).not.toBeNull();
  });

  test("has bounds without what is unknown, and finds the moment nearest to a point", () => {
    expect(line.bounds.left).toBe(0);
    expect(line.bounds.right).toBeCloseTo(222.6, 0);
    expect(line.bounds.top).toBeCloseTo(110.6, 0);
    expect(line.findNearest(220, 100)).toEqual({ seconds: 130, distance: expect.closeTo(10.9, 0) });
  });

  test("is coloured by its values between the least and the most of them", () => {
    expect(line.colours).toMatchObject({ least: 5, most: 25 });
    const pieces = line.colours?.pieces.flatMap((places, colour) => places.map((at) => [at, colour]));
    expect(pieces).toEqual([
      [0, 0],
      [4, 16],
      [3, 31],
    ]);
    const track = { times_ms: [0], latitudes: [47], longitudes: [8], values: [], without_fix: 0 };
    expect(new TrackLine(track, 0).colours).toBeNull();
  });

  test("of a robot at rest has no direction", () => {
    const rest = { times_ms: [0, 1000], latitudes: [47, 47.000001], longitudes: [8, 8], values: [], without_fix: 0 };
    expect(new TrackLine(rest, 0).locate(0.5)?.heading).toBeNull();
  });
});
