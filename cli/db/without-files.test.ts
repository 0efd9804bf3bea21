import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readFileList } from "@/cli/db/file-list";
import { filesFolder, type ListedFile } from "@/cli/db/format";
import { openArchive } from "@/cli/db/source";
import { readTar } from "@/cli/db/tar";
import { isKey } from "@/server/platform/storage/keys";
import { copyPlace, emptyPlace, getEnvironment, isLeftover, listFiles, readState } from "@/server/testing/backups";
import { secrets, twoBackups, type Place } from "@/server/testing/backups";
import { bundledCommandLine } from "@/server/testing/command-line";
import { unique } from "@/server/testing/factories";
import { countShare } from "@/server/testing/generated-cases";
import { computeEtag, filesOfKey } from "@/server/testing/stored-files";

const commandLine = await bundledCommandLine();
const given = await twoBackups();
afterAll(() => commandLine.close());
const muster = (place: Place, ...args: string[]) =>
  commandLine.start(args, { env: getEnvironment(place), input: "replace\n" }).ended;

const file = path.join(given.folder, "rows.tar");
let source: Place;
let listed: ListedFile[];
beforeAll(async () => {
  source = await copyPlace(given.restored.new, given.folder);
  const made = await muster(source, "db", "backup", "--without-files", "--with-secret", file);
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining("and holds none: a restore needs a store") });
  const archive = await openArchive(file);
  listed = [];
  for await (const each of readFileList(archive)) listed.push(each);
  await archive.close();
});

/** An empty database beside a copy of the files. */
let target: Place;
beforeEach(async () => {
  target = await emptyPlace(given.folder);
  fs.mkdirSync(target.dataDir);
  fs.cpSync(path.join(source.dataDir, "files"), path.join(target.dataDir, "files"), { recursive: true });
});
const toFile = (key: string) => filesOfKey(key, path.join(target.dataDir, "files"))[0] ?? "";

describe("a backup without files", () => {
  test("names each file with its size and tag, and holds none", async () => {
    const archive = await openArchive(file);
    const names: string[] = [];
    for await (const { name } of readTar(archive)) names.push(name);
    await archive.close();
    expect(names.filter((name) => name.startsWith(filesFolder))).toEqual([]);
    const keys = listed.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(Object.values(given.keys)));
    expect(keys).toEqual([...keys].sort());
    for (const { key, size_bytes, etag, sha256, backup } of listed) {
      const bytes = fs.readFileSync(toFile(key));
      expect({ size_bytes, etag, sha256, backup }).toEqual({
        size_bytes: bytes.length,
        etag: computeEtag(bytes),
        sha256: null,
        backup: null,
      });
    }
  });

  test("is restored beside its files, which stay as they are, and the store becomes the installation's when it is claimed", async () => {
    const before = listFiles(target);
    const restored = await muster(target, "db", "restore", file);
    expect(restored).toMatchObject({ code: 0, err: expect.stringContaining("0 missing, 0 damaged") });
    expect(await readState(target)).toBe(await readState(source));
    expect(listFiles(target).filter((name) => !["auth-secret", "muster.lock"].includes(name))).toEqual(before);
    expect(fs.readFileSync(path.join(target.dataDir, "auth-secret"), "utf8")).toBe(secrets.new);
    expect(fs.readdirSync(path.join(target.dataDir, "files")).filter((name) => name.startsWith(".rows-"))).toEqual([]);
    // Where the files were copied from, Muster may still run.
    expect(await muster(target, "files", "verify")).toMatchObject({
      code: 1,
      err: expect.stringContaining("files claim"),
    });
    expect(await muster(target, "files", "claim")).toMatchObject({ code: 0 });
    expect(await muster(target, "files", "verify")).toMatchObject({
      code: 0,
      err: expect.stringContaining("0 damaged, 0 missing, 0 not verifiable; 0 unknown"),
    });
  });

  test("names what is missing or differs, and exits with 3; with --strict it changes nothing", async () => {
    const { recording, item } = given.keys;
    fs.rmSync(toFile(recording));
    const changed = toFile(item);
    fs.writeFileSync(changed, fs.readFileSync(changed).subarray(1));
    const strict = await muster(target, "db", "restore", "--strict", file);
    expect(strict.code).toBe(1);
    expect(strict.err).toContain("nothing was changed");
    for (const key of [recording, item]) expect(strict.err).toContain(key);
    expect(fs.existsSync(path.join(target.dataDir, "auth-secret"))).toBe(false);
    const restored = await muster(target, "db", "restore", file);
    expect(restored.code).toBe(3);
    expect(restored.err).toContain(`The file ${recording} is missing in`);
    expect(restored.err).toContain(`The file ${item} of ${path.join(target.dataDir, "files")} is not the one`);
    expect(restored.err).toContain("1 missing, 1 damaged");
  });

  test("is refused where none of its files are, and replaces rows only when that is confirmed", async () => {
    const empty = await emptyPlace(given.folder);
    const refused = await muster(empty, "db", "restore", file);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`none of the ${listed.length} files`) });
    const old = await copyPlace(given.restored.old, given.folder);
    const state = await readState(old);
    expect(await muster(old, "db", "restore", file)).toMatchObject({
      code: 1,
      err: expect.stringContaining("The database is not empty, and nothing was changed"),
    });
    expect(await readState(old)).toBe(state);
    expect(await muster(old, "db", "restore", "--force", file)).toMatchObject({
      code: 3,
      err: expect.stringContaining("Every row in"),
    });
    const own = fs.readdirSync(path.join(old.dataDir, "files"), { recursive: true }).map(String);
    expect(own.filter((name) => isKey(name) || isLeftover(name)).sort()).toEqual(
      fs
        .readdirSync(path.join(given.restored.old.dataDir, "files"), { recursive: true })
        .map(String)
        .filter(isKey)
        .sort(),
    );
  });

  test("names files that are lost or have another size, and exits with 3", async () => {
    const place = { ...(await copyPlace(source, given.folder)) };
    const at = (key: string) => filesOfKey(key, path.join(place.dataDir, "files"))[0] ?? "";
    fs.rmSync(at(given.keys.item));
    fs.truncateSync(at(given.keys.recording), 10);
    const made = await muster(place, "db", "backup", "--without-files", path.join(given.folder, "faulty.tar"));
    expect(made.code).toBe(3);
    expect(made.err).toContain(`The file ${given.keys.item} was lost before this backup`);
    expect(made.err).toContain(`The file ${given.keys.recording} was damaged before this backup; it has another size`);
  });
});

test("options that do not belong together are refused in words", async () => {
  const refuse = async (...args: string[]) => {
    const { code, err } = await muster(source, "db", ...args);
    expect(code).toBe(1);
    return err;
  };
  expect(await refuse("backup")).toContain("Name one place for the backup");
  expect(await refuse("backup", "a.tar", "--to", "s3://b/c")).toContain("Name one place for the backup");
  expect(await refuse("backup", "--without-files", "--since", file, "a.tar")).toContain("Give one of them");
  expect(await refuse("backup", "--to", "s3://bucket")).toContain('"s3://bucket" is no address of an object');
  expect(await refuse("restore", "--files-at", "s3://other/place", given.backups.new)).toContain("holds its files");
  expect(await refuse("restore", "--files-at", "ftp://other", file)).toContain('--files-at needs "disk"');
});

test(
  "a backup that is killed at any moment is whole, or has not its name and is refused",
  { timeout: 300_000 },
  async () => {
    const start = (name: string) =>
      commandLine.start(["db", "backup", "--with-secret", name], { env: getEnvironment(source) });
    // How long it takes to begin says nothing about the backup, and nothing can be killed before.
    const isBegun = (name: string) =>
      expect
        .poll(() => fs.existsSync(`${name}.part`) || fs.existsSync(name), { interval: 5, message: "begins to write" })
        .toBe(true);
    const whole = path.join(given.folder, unique("timed"));
    const timed = start(whole);
    await isBegun(whole);
    const began = performance.now();
    await timed.ended;
    const spanMs = performance.now() - began;
    const rounds = 2 + countShare(6);
    for (let round = 0; round < rounds; round++) {
      const name = path.join(given.folder, unique("killed"));
      const { child, ended } = start(name);
      await isBegun(name);
      // oxlint-disable-next-line no-restricted-globals -- a backup is killed at a moment of its time
      const timer = setTimeout(() => child.kill("SIGKILL"), (spanMs * (round + 0.5 + Math.random())) / rounds);
      await ended;
      clearTimeout(timer);
      const place = await emptyPlace(given.folder);
      const restored = async (from: string) => muster(place, "db", "restore", from);
      if (fs.existsSync(name)) {
        expect(await restored(name)).toMatchObject({ code: 0 });
        expect(await readState(place)).toBe(given.states.new);
      } else if (fs.existsSync(`${name}.part`)) {
        expect(await restored(`${name}.part`)).toMatchObject({
          code: 1,
          err: expect.stringMatching(/breaks off|no backup/),
        });
      }
    }
  },
);
