import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { forgetMoved } from "@/scripts/check/module-cache";

let folder: string;
beforeEach(() => {
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "modules-")), "modules");
});
afterEach(() => fs.rmSync(path.dirname(folder), { recursive: true, force: true }));

/** Whether a module stays in the folder when the files become others. */
function keepsModules(before: string[], after: string[]): boolean {
  forgetMoved(folder, before);
  fs.writeFileSync(path.join(folder, "module"), "transformed");
  forgetMoved(folder, after);
  return fs.existsSync(path.join(folder, "module"));
}

test("modules stay while files are added, deleted and renamed", () => {
  expect(keepsModules(["x/a.ts", "b.ts"], ["x/a.ts", "c.ts"])).toBe(true);
});

test("modules are forgotten when a file gets another ending, under which imports find it", () => {
  expect(keepsModules(["x/a.ts"], ["x/a.tsx"])).toBe(false);
  expect(keepsModules(["x/a.ts"], ["x/a.ts", "x/a.mjs"])).toBe(false);
});

test("modules of an unknown time are forgotten", () => {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "module"), "transformed");
  forgetMoved(folder, ["a.ts"]);
  expect(fs.existsSync(path.join(folder, "module"))).toBe(false);
});
