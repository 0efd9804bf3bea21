import { expect, test } from "vitest";
import type { ScenePick } from "./scene-report";
import { describeDistance, describePick } from "./scene-text";

const ground = (x: number, y: number, z = 0): ScenePick => ({ topic: null, name: null, place: [x, y, z], fields: [] });

test("numbers of picked places have one minus sign, and none for zero", () => {
  expect(describePick(ground(-1.194, 1.5, -0.001))).toEqual(["Ground", "−1.19, 1.50, 0.00 m"]);
  expect(describePick({ ...ground(0, 0), topic: "/points", fields: [{ name: "x", value: -1.5 }] })[2]).toBe("x −1.5");
});

test("a distance says how far that is along the ground and upwards", () => {
  expect(describeDistance(ground(0, 0, 4), ground(3, 0, 0))).toBe(
    "5.00 m (3.00 m along the ground, −4.00 m up, −53.1°)",
  );
  expect(describeDistance(ground(0, 0, 1e-9), ground(3, 0, 0))).toBe(
    "3.00 m (3.00 m along the ground, 0.00 m up, 0.0°)",
  );
});
