import { describe, expect, test } from "vitest";
import { LocalPlane, MercatorPlane, metresAround, toDegrees } from "./place";

describe("Mercator's plane", () => {
  test("is where tiles lie: a square around the middle of the map of the world", () => {
    const plane = new MercatorPlane(0, 0);
    const corner = plane.place(85.051_128_779_806_59, 180);
    expect(corner.x).toBeCloseTo(-metresAround / 2, 3); // the shorter way to 180° is to the west
    expect(corner.y).toBeCloseTo(metresAround / 2, 3);
    expect(plane.place(0, 0)).toEqual({ x: 0, y: 0 });
  });

  test.each([
    [47.37, 8.54],
    [-33.86, 151.2],
    [64.1, -21.9],
  ])("leads back to the place at %d, %d", (latitude, longitude) => {
    const place = toDegrees(new MercatorPlane(latitude, longitude).place(latitude, longitude));
    expect(place.latitude).toBeCloseTo(latitude, 9);
    expect(place.longitude).toBeCloseTo(longitude, 9);
  });

  test("has the true length of small distances by its factor", () => {
    const [mercator, local] = [new MercatorPlane(47, 8), new LocalPlane(47, 8)];
    const [from, to] = [mercator.place(47, 8), mercator.place(47.001, 8)];
    const metres = (to.y - from.y) * mercator.metresPerUnit;
    // The sphere of tiles is not the ellipsoid: it is off by up to half a percent.
    expect(metres / local.place(47.001, 8).y).toBeCloseTo(1, 2);
  });

  test("a way across the antimeridian stays short", () => {
    const plane = new MercatorPlane(0, 179.999);
    expect(plane.place(0, -179.999).x - plane.place(0, 179.999).x).toBeCloseTo((metresAround * 0.002) / 360, 3);
  });
});
