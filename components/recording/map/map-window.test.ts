import { describe, expect, test } from "vitest";
import { formatDistance, MapWindow, roundDistance } from "./map-window";

function makeWindow(): MapWindow {
  const map = new MapWindow();
  map.resize(400, 200);
  map.fit({ left: 0, right: 1000, bottom: -50, top: 50 });
  return map;
}

describe("the window of a map", () => {
  test("fits a track with a margin, north up", () => {
    const map = makeWindow();
    expect(map.toPixel({ x: 500, y: 0 })).toEqual([200, 100]);
    expect(map.toPixel({ x: 0, y: 0 })[0]).toBeCloseTo(28);
    expect(map.toPixel({ x: 500, y: 50 })[1]).toBeLessThan(100);
    const [px, py] = map.toPixel({ x: 123, y: -45 });
    expect(map.toPlace(px, py).x).toBeCloseTo(123);
    expect(map.toPlace(px, py).y).toBeCloseTo(-45);
  });

  test("shows at least twenty metres, so that a robot at rest is a point", () => {
    const map = makeWindow();
    map.fit({ left: 10, right: 10.2, bottom: 5, top: 5.1 });
    expect((400 - 2 * 28) / map.scale).toBeGreaterThanOrEqual(20);
    expect((200 - 2 * 28) / map.scale).toBeCloseTo(20);
  });

  test("keeps the place under the pointer when it zooms", () => {
    const map = makeWindow();
    const place = map.toPlace(70, 30);
    map.zoom(3, 70, 30);
    expect(map.toPlace(70, 30).x).toBeCloseTo(place.x);
    expect(map.toPlace(70, 30).y).toBeCloseTo(place.y);
  });

  test("moves with the pointer, and then no longer with the robot until it fits again", () => {
    const map = makeWindow();
    const [px, py] = map.toPixel({ x: 100, y: 10 });
    map.pan(15, -7);
    expect(map.toPixel({ x: 100, y: 10 })[0]).toBeCloseTo(px + 15);
    expect(map.toPixel({ x: 100, y: 10 })[1]).toBeCloseTo(py - 7);
    expect(map.follows).toBe(false);
    map.fit({ left: 0, right: 1, bottom: 0, top: 1 });
    expect(map.follows).toBe(true);
  });

  test("moves just as far as a place needs to be inside", () => {
    const map = makeWindow();
    map.zoom(10);
    map.keepInside({ x: 500, y: 0 });
    expect(map.toPixel({ x: 500, y: 0 })).toEqual([200, 100]);
    map.keepInside({ x: 900, y: -20 });
    expect(map.toPixel({ x: 900, y: -20 })[0]).toBeCloseTo(400 - 28);
    expect(map.toPixel({ x: 900, y: -20 })[1]).toBeLessThanOrEqual(200 - 28);
    map.keepInside({ x: 0, y: 40 });
    expect(map.toPixel({ x: 0, y: 40 })[0]).toBeCloseTo(28);
  });
});

test.each([
  [1, 50, "50 m"],
  [0.3, 200, "200 m"],
  [0.01, 5_000, "5 km"],
  [70, 1, "1 m"],
  [200, 0.5, "50 cm"],
])("at %d pixels for a metre the grid has a line every %d m: %s", (scale, metres, text) => {
  expect(roundDistance(48, scale)).toBeCloseTo(metres, 9);
  expect(formatDistance(roundDistance(48, scale))).toBe(text);
});
