import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pino from "pino";
import { afterAll, beforeEach, expect, test } from "vitest";
import { SeriesSpool } from "@/server/features/stored-series/series-spool";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "series-spool-"));
afterAll(() => fs.rmSync(root, { recursive: true }));

const part = (size: number, value: number) => new Uint8Array(size).fill(value);

const lines: string[] = [];
const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
const create = (folder: string, jobId: string, attempt: number) => SeriesSpool.create(folder, { jobId, attempt }, log);
const held = "series could not be written to disk; they are held in memory";
beforeEach(() => void lines.splice(0));

async function readAll(spool: SeriesSpool): Promise<Uint8Array> {
  return new Uint8Array(await new Response(spool.stream()).arrayBuffer());
}

test.each([
  ["on the disk", path.join(root, "folder")],
  // A file in the place of the folder.
  ["in memory where the disk takes nothing", path.join(root, "taken")],
])("gives the bytes that were appended, at any position: %s", async (name, folder) => {
  if (name !== "on the disk") fs.writeFileSync(folder, "");
  const spool = await create(folder, "1", 1);
  const parts = [part(10, 1), part(300_000, 2), part(5, 3), part(700_000, 4), part(20, 5)];
  for (const each of parts) await spool.append(each);
  const whole = Buffer.concat(parts);
  expect(spool.size).toBe(whole.length);
  expect(Buffer.from(await readAll(spool)).equals(whole)).toBe(true);
  for (const [offset, length] of [
    [0, 10],
    [5, 300_010],
    [300_009, 10],
    [1_000_014, 21],
    [whole.length - 1, 1],
  ] as const) {
    const read = await spool.read(offset, length);
    expect(Buffer.from(read).equals(whole.subarray(offset, offset + length)), `${offset} ${length}`).toBe(true);
  }
  await expect(spool.read(whole.length - 1, 2)).rejects.toThrow("shorter");
  await spool.remove();
});

test("an attempt that is paused cannot change what a later one writes, which removes its file", async () => {
  const folder = path.join(root, "attempts");
  const paused = await create(folder, "7", 1);
  await paused.append(part(400_000, 1));
  const other = await create(folder, "7", 2);
  await other.append(part(400_000, 2));
  await paused.append(part(400_000, 3));
  expect(fs.readdirSync(folder)).toEqual(["7-2"]);
  expect(Buffer.from(await readAll(other)).equals(Buffer.alloc(400_000, 2))).toBe(true);
  await paused.remove();
  expect(fs.readdirSync(folder)).toEqual(["7-2"]);
  await other.remove();
  expect(fs.readdirSync(folder)).toEqual([]);
});

test("in memory are bytes up to a limit, which is said once", async () => {
  const folder = path.join(root, "occupied");
  fs.writeFileSync(folder, "");
  const spool = await create(folder, "8", 1);
  const large = new Uint8Array(64 * 1024 * 1024);
  for (let n = 0; n < 4; n++) await spool.append(large);
  await expect(spool.append(part(1, 1))).rejects.toThrow("too many to be held in memory");
  expect(lines.filter((line) => line.includes(held))).toHaveLength(1);
});

test("files that were left more than a day ago are removed, and no others", async () => {
  const folder = path.join(root, "left");
  fs.mkdirSync(folder);
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  for (const [name, hours] of [
    ["5-1", 25],
    ["5-12", 25],
    ["6-1", 23],
    ["notes", 25],
  ] as const) {
    fs.writeFileSync(path.join(folder, name), "");
    fs.utimesSync(path.join(folder, name), ago(hours), ago(hours));
  }
  const spool = await create(folder, "9", 1);
  expect(fs.readdirSync(folder).sort()).toEqual(["6-1", "9-1", "notes"]);
  expect(lines).toEqual([]);
  await spool.remove();
});
