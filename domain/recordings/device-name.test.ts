import { expect, test } from "vitest";
import { proposeDeviceName } from "./device-name";

const propose = (name: string, folders: string[] = [], metadata: [string, string][] = []) =>
  proposeDeviceName({ name, folders, metadata });

test.each([
  ["press-line-07_2026-01-02", "press-line-07"],
  ["press-line-07", "press-line-07"],
  ["2026-01-02_press-line-07", "press-line-07"],
  ["2026-01-02T10:11:12Z press-line-07", "press-line-07"],
  ["AMR 06 2026-01-02T10-00-00Z", "AMR 06"],
  ["arm_07_20260102_101112_0", "arm_07"],
  ["arm_07", "arm_07"],
  ["amr-3_run12", "amr-3"],
  ["drone_flight_4_2026_1_2", "drone"],
  ["rosbag2_arm-01_2026_01_02-10_11_12", "arm-01"],
  ["husky_1767348672", "husky"],
  ["Presse Süd_2026.01.02", "Presse Süd"],
  ["scene-0061", "scene-0061"],
])("%s is a recording of %s", (name, device) => expect(propose(name)).toBe(device));

test.each([
  "2026-01-02-10-11-12",
  "rosbag2_2026_01_02-10_11_12_0",
  "log_5_2026-1-2-10-11-12",
  "10_11_12",
  "run 3",
  "my_bag",
  "recording",
  "42",
  "",
])("%j names no device", (name) => expect(propose(name)).toBeNull());

test("the nearest folder that names a device is taken where the file does not", () => {
  expect(propose("2026-01-02-10-11-12", ["fleet", "arm-01", "runs"])).toBe("arm-01");
  expect(propose("rosbag2_2026_01_02", ["2026"])).toBeNull();
});

test("what the file says of its device comes before its name", () => {
  expect(propose("press-line-07_2026-01-02", [], [["Robot_Name", " cell 9 "]])).toBe("cell 9");
  const metadata: [string, string][] = [
    ["host", "nuc-12"],
    ["device.name", "press 7"],
  ];
  expect(propose("run", [], metadata)).toBe("press 7");
  const unusable: [string, string][] = [
    ["host", "localhost"],
    ["robot", " "],
    ["device", "a\u0000b"],
    ["vehicle", "x".repeat(300)],
  ];
  expect(propose("amr-3", [], unusable)).toBe("amr-3");
});
