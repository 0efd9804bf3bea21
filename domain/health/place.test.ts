import { expect, test } from "vitest";
import { findPlaceNames } from "./place";

test("degrees on earth are found by their names, with what stands before both", () => {
  const earth = (north: string, east: string) => ({ kind: "earth", north, east });
  expect(findPlaceNames(["battery", "latitude", "longitude"])).toEqual(earth("latitude", "longitude"));
  expect(findPlaceNames(["gps.lon", "x", "y", "gps.lat"])).toEqual(earth("gps.lat", "gps.lon"));
  expect(findPlaceNames(["home_lat", "gps_lng"])).toBeNull();
});

test("metres of a frame of its own are a place where their names say so", () => {
  expect(findPlaceNames(["x", "y"])).toEqual({ kind: "local", north: "y", east: "x" });
  expect(findPlaceNames(["pose.position.x", "pose.position.y"])?.kind).toBe("local");
  expect(findPlaceNames(["acceleration.x", "acceleration.y"])).toBeNull();
  expect(findPlaceNames([])).toBeNull();
});
