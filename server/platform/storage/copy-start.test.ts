import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyStart } from "@/server/platform/storage/copy-start";

let folder: string;
beforeAll(() => void (folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-copy-start-"))));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);

test("at least the first bytes of a file are copied, readable by its owner alone", async () => {
  const bytes = randomBytes(3_000_000);
  fs.writeFileSync(at("a"), bytes, { mode: 0o644 });
  await copyStart(at("a"), at("copy"), 2_500_000, 0o600);
  expect(fs.readFileSync(at("copy")).subarray(0, 2_500_000).equals(bytes.subarray(0, 2_500_000))).toBe(true);
  expect(fs.statSync(at("copy")).mode & 0o777).toBe(0o600);
});

// Of this file the system says that it is longer than what can be read, as of one that becomes shorter meanwhile.
const longer = "/sys/kernel/profiling";
test.skipIf(!fs.existsSync(longer))("a copy ends where the file ends, though it was longer", async () => {
  const content = fs.readFileSync(longer);
  expect(fs.statSync(longer).size).toBeGreaterThan(content.length);
  await copyStart(longer, at("shorter"), 4_096, 0o600);
  expect(fs.readFileSync(at("shorter")).equals(content)).toBe(true);
});

test("a file that is not there is refused without a trace, as is a target that is there", async () => {
  await expect(copyStart(at("missing"), at("none"), 10, 0o600)).rejects.toThrow("ENOENT");
  expect(fs.existsSync(at("none"))).toBe(false);
  fs.writeFileSync(at("source"), "source");
  fs.writeFileSync(at("target"), "target");
  await expect(copyStart(at("source"), at("target"), 6, 0o600)).rejects.toThrow("EEXIST");
  expect(fs.readFileSync(at("target"), "utf8")).toBe("target");
});
