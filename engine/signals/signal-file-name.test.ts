import { expect, it } from "vitest";
import { createSignalFileNames } from "@/engine/signals/signal-file-name";

it("a file is named like its topic, percent-encoded", () => {
  const name = createSignalFileNames();
  expect(["/imu", "/a b/c", "../..", "é", "it's"].map((topic) => name(topic))).toEqual([
    "%2Fimu.parquet",
    "%2Fa%20b%2Fc.parquet",
    "%2E.%2F...parquet",
    "%C3%A9.parquet",
    "it%27s.parquet",
  ]);
});

it("names differ in more than case, whatever the topics", () => {
  const name = createSignalFileNames();
  const long = "/x".repeat(300);
  const names = ["/imu", "/IMU", "/Imu", "", long, `${long}2`, "\ud800"].map((topic) => name(topic));
  expect(new Set(names.map((each) => each.toLowerCase())).size).toBe(names.length);
  for (const each of names) expect(each).toMatch(/^[A-Za-z0-9_%-][A-Za-z0-9._%-]{0,199}\.parquet$/);
});
