import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import workers from "@/public/engine/workers.json";

/** The size of the thread's own script, compressed. */
const limits: Record<keyof typeof workers, number> = {
  "item-cloud": 6_000,
  "item-picture": 3_000,
  "item-video": 48_000,
  tiles: 155_000,
  recording: 60_000,
  "video-file": 100_000,
  preview: 115_000,
  magnet: 4_000,
  mask: 4_000,
  mesh: 95_000,
  scene: 148_000,
};

/** The size of what threads load when they need it, by the name of its module. */
const laterLimits: Record<string, number> = {
  draco_wasm_wrapper: 13_000,
  "rare-encodings": 45_000,
  "scenes-and-overlays": 27_000,
};

const folder = "public/engine";
const read = (file: string): string => readFileSync(path.join(folder, path.basename(file)), "utf8");
const scripts = readdirSync(folder).filter((file) => file.endsWith(".js"));
const later = scripts.filter((file) => !Object.values(workers).includes(`/engine/${file}`));

/** The scripts that a script cannot begin without. */
const listImports = (script: string): string[] =>
  [...script.matchAll(/\b(?:from|import)\s*["'`](\.\/[^"'`]+)["'`]/g)].map(([, file = ""]) => path.basename(file));

describe.each(Object.entries(workers))("the thread %s", (name, address) => {
  const script = read(address);

  test("begins with one script, which stays small", () => {
    expect(listImports(script)).toEqual([]);
    expect(gzipSync(script, { level: 9 }).length).toBeLessThan(limits[name as keyof typeof workers]);
  });
});

test.each(later)("%s is loaded when it is needed, and takes from its thread what both need", (file) => {
  const script = read(file);
  const limit = laterLimits[file.replace(/-[0-9a-f]{8}\.js$/, "")];
  expect(gzipSync(script, { level: 9 }).length).toBeLessThan(limit ?? 0);
  const owners = scripts.filter((each) => read(each).includes(`import(\`./${file}\`)`));
  expect(owners).toHaveLength(1);
  for (const needed of listImports(script)) {
    expect(needed).toMatch(/\.worker-/);
    expect(Object.values(workers)).toContain(`/engine/${needed}`);
  }
  // A second class of the same name would not be recognised.
  expect(/name\s*=\s*["'`](RecordingError|UnreadableMessage)["'`]/.test(script)).toBe(false);
});

test("what few recordings need is not in the script of the recording's thread", () => {
  expect(later.map((file) => file.replace(/-[0-9a-f]{8}\.js$/, "")).sort()).toEqual([
    "draco_wasm_wrapper",
    "rare-encodings",
    "rare-encodings",
    "scenes-and-overlays",
  ]);
});
