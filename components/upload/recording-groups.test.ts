import { expect, test } from "vitest";
import type { ChosenFile } from "./chosen-files";
import { groupFiles, joinFiles } from "./recording-groups";

const chosen = (...paths: string[]): ChosenFile[] =>
  paths.map((path) => ({ path, file: new File(["x"], path.split("/").at(-1) ?? "") }));
const toNames = (groups: ReturnType<typeof groupFiles>) =>
  groups.map(({ name, files }) => [name, files.map(({ path }) => path)]);

test("every file is a recording, named without its extension", () => {
  expect(toNames(groupFiles(chosen("a.mcap", "b.BAG", "runs/c.ulg", "notes")))).toEqual([
    ["a", ["a.mcap"]],
    ["b", ["b.BAG"]],
    ["c", ["runs/c.ulg"]],
    ["notes", ["notes"]],
  ]);
});

test("a folder of rosbag2 is one recording, named after the folder", () => {
  const bag = ["runs/monday/metadata.yaml", "runs/monday/monday_0.db3", "runs/monday/monday_1.db3"];
  expect(toNames(groupFiles(chosen(...bag, "runs/other.mcap")))).toEqual([
    ["monday", bag],
    ["other", ["runs/other.mcap"]],
  ]);
});

test("a db3 file is one recording with its write-ahead log, a compressed one is named without its endings", () => {
  const groups = groupFiles(
    chosen("run_0.db3-wal", "run_0.db3", "run_0.db3-shm", "a.mcap.zst", "runs/b.bag.active.gz"),
  );
  expect(toNames(groups)).toEqual([
    ["run_0", ["run_0.db3-wal", "run_0.db3", "run_0.db3-shm"]],
    ["a", ["a.mcap.zst"]],
    ["b", ["runs/b.bag.active.gz"]],
  ]);
});

test("all files together are named after the first", () => {
  expect(toNames(joinFiles(chosen("a.db3", "Status.msg")))).toEqual([["a", ["a.db3", "Status.msg"]]]);
  expect(joinFiles([])).toEqual([]);
});
