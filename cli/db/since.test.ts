import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { backup } from "@/cli/db/backup";
import { filesFolder, listName, sumsName, type ListedFile, type Manifest } from "@/cli/db/format";
import { parseLines } from "@/cli/db/lines";
import { restore as restoreVerified } from "@/cli/db/restore";
import { openArchive } from "@/cli/db/source";
import { readTar, TarWriter } from "@/cli/db/tar";
import { verifyBackup } from "@/cli/db/verify";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { DiskStore } from "@/server/platform/storage/disk";
import { deleteOthers, emptyPlace, listFiles, targetAt } from "@/server/testing/backups";
import { makeDevice, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, temperatures, uploadRecording } from "@/server/testing/processing";
import { computeEtag, filesOfKey } from "@/server/testing/stored-files";

const folder = path.join(env.DATA_DIR, unique("since"));
const authSecret = "the secret of the one who was backed up";
const at = (name: string) => path.join(folder, `${name}.tar`);
const make = (name: string, since?: string) =>
  backup(
    {
      databaseUrl: env.DATABASE_URL ?? "",
      authSecret,
      withSecret: true,
      ...(since !== undefined && { since: at(since) }),
    },
    at(name),
  );

let org: TestOrganization;
let deviceId: string;

interface Stored {
  key: string;
  bytes: Buffer;
}
async function record(value: number): Promise<Stored> {
  const bytes = await jsonRecording({ "/temp": temperatures([value, value + 1]) });
  const recordingId = await uploadRecording(org, deviceId, [bytes]);
  const { storageKey: key } = await prisma.storedFile.findFirstOrThrow({ where: { recordingId } });
  return { key, bytes };
}

async function listEntries(file: string): Promise<string[]> {
  const source = await openArchive(file);
  const names: string[] = [];
  for await (const { name } of readTar(source)) names.push(name);
  await source.close();
  return names;
}
const filesIn = async (name: string) =>
  (await listEntries(at(name))).flatMap((entry) =>
    entry.startsWith(filesFolder) ? [entry.slice(filesFolder.length)] : [],
  );

async function listIn(file: string): Promise<ListedFile[]> {
  const source = await openArchive(file);
  const listed: ListedFile[] = [];
  for await (const entry of readTar(source))
    if (entry.name === listName) for await (const line of parseLines<ListedFile>(entry.bytes())) listed.push(line);
  await source.close();
  return listed;
}

const readManifest = async (name: string) => {
  const verified = await verifyBackup(at(name)).catch(() => null);
  await verified?.archive.close();
  return verified?.manifest;
};

async function expectRestored(names: [string, ...string[]], stored: readonly Stored[]): Promise<void> {
  const [own, ...earlier] = names.map(at) as [string, ...string[]];
  const place = await emptyPlace(folder);
  await restoreVerified(await verifyBackup(own, earlier), targetAt(place));
  const store = new DiskStore(path.join(place.dataDir, "files"));
  for (const { key, bytes } of stored) {
    expect(Buffer.from(await store.readBytes(key, 0, bytes.length + 1)).equals(bytes)).toBe(true);
    expect(await store.head(key)).toMatchObject({ etag: computeEtag(bytes) });
  }
}

/** A backup as a Muster made it that listed no files and gave backups no id. */
async function withoutList(from: string, to: string): Promise<void> {
  const source = await openArchive(from);
  const tar = new TarWriter((bytes) => fs.promises.writeFile(to, bytes));
  for await (const entry of readTar(source)) {
    if ([listName, sumsName].includes(entry.name)) continue;
    if (entry.name === "manifest.json") {
      const { id: _, ...manifest } = JSON.parse(await text(entry.bytes())) as Manifest;
      await tar.addText(entry.name, JSON.stringify(manifest));
    } else await tar.add(entry.name, entry.size, entry.bytes());
  }
  await tar.addSums(sumsName);
  await tar.close();
  await source.close();
}

let first: Stored;
let second: Stored;
let third: Stored;
beforeAll(async () => {
  fs.mkdirSync(folder, { recursive: true });
  await deleteOthers();
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
  first = await record(1);
  await make("full");
  second = await record(2);
  await make("monday", "full");
  third = await record(3);
  await make("tuesday", "monday");
});

describe("a backup since an earlier one", () => {
  test("holds only files that neither that one nor those before it hold, and names all", async () => {
    expect(await filesIn("full")).toEqual([first.key]);
    expect(await filesIn("monday")).toEqual([second.key]);
    expect(await filesIn("tuesday")).toEqual([third.key]);
    const [full, monday] = [await readManifest("full"), JSON.parse(await manifestText("monday")) as Manifest];
    expect(full).toMatchObject({ format: 1 });
    expect(full).not.toHaveProperty("files");
    expect(monday).toMatchObject({ format: 2, files: "since", earlier: [{ id: full?.id }] });
    const own = (JSON.parse(await manifestText("tuesday")) as Manifest).id;
    const expected = [
      [first, full?.id],
      [second, monday.id],
      [third, own],
    ] as const;
    expect(await listIn(at("tuesday"))).toEqual(
      expected
        .map(([{ key, bytes }, backupId]) => ({
          key,
          size_bytes: bytes.length,
          etag: computeEtag(bytes),
          sha256: createHash("sha256").update(bytes).digest("hex"),
          backup: backupId,
        }))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    );
  });

  test("is restored together with those that hold its files", async () => {
    await expectRestored(["tuesday", "monday", "full"], [first, second, third]);
    await expectRestored(["monday", "full"], [first, second]);
  });

  test("is refused in words without them, before anything is changed", async () => {
    const place = await emptyPlace(folder);
    const restore = async (...names: string[]) => {
      const [own = "", ...earlier] = names.map(at);
      return restoreVerified(await verifyBackup(own, earlier), targetAt(place));
    };
    const { id, created_at: made } = (await readManifest("full"))!;
    await expect(restore("tuesday", "monday")).rejects.toThrow(`the backup of ${made} (${id}) holds 1 of its files`);
    await expect(restore("tuesday")).rejects.toThrow(/nothing was changed.*--with:\n.*\n.*holds 1/s);
    await expect(restore("full", "monday")).rejects.toThrow("needs no other backup");
    expect(fs.existsSync(place.dataDir)).toBe(false);
  });

  test("does not accept an earlier one that is damaged, or holds other bytes under the same name", async () => {
    const damaged = fs.readFileSync(at("full"));
    damaged[damaged.indexOf(first.bytes)]! ^= 1;
    fs.writeFileSync(at("flipped"), damaged);
    await expect(verifyBackup(at("monday"), [at("flipped")])).rejects.toThrow(`${first.key} is damaged`);
    // The same, with checksums that fit.
    const source = await openArchive(at("flipped"));
    const tar = new TarWriter((bytes) => fs.promises.writeFile(at("forged"), bytes));
    for await (const entry of readTar(source))
      if (entry.name !== sumsName) await tar.add(entry.name, entry.size, entry.bytes());
    await tar.addSums(sumsName);
    await tar.close();
    await source.close();
    await expect(verifyBackup(at("monday"), [at("forged")])).rejects.toThrow(`does not hold ${first.key} as`);
  });

  test("copies a file again that was damaged in the earlier one, or has other bytes now", async () => {
    const [broken, replaced] = [await record(10), await record(11)];
    const stored = filesOfKey(broken.key)[0] ?? "";
    fs.writeFileSync(stored, Buffer.from(broken.bytes).fill(0, 100, 101));
    expect((await make("before")).damaged).toEqual([broken.key]);
    fs.writeFileSync(stored, broken.bytes);
    const other = await jsonRecording({ "/temp": temperatures([12, 13, 14]) });
    const { etag } = await new DiskStore(path.join(env.DATA_DIR, "files")).put(
      replaced.key,
      new Blob([new Uint8Array(other)]).stream(),
      other.length,
    );
    await prisma.storedFile.updateMany({
      where: { storageKey: replaced.key },
      data: { etag, sizeBytes: BigInt(other.length) },
    });
    expect(await make("after", "before")).toMatchObject({ damaged: [], files: 2 });
    expect((await filesIn("after")).sort()).toEqual([broken.key, replaced.key].sort());
    await expectRestored(["after", "before"], [first, broken, { key: replaced.key, bytes: other }]);
  });

  test("never takes the place of one that holds files of it, by whatever name", async () => {
    const before = [fs.readFileSync(at("full")), fs.readFileSync(at("monday"))];
    fs.symlinkSync(at("monday"), at("latest"));
    for (const [name, since, refusal] of [
      ["monday", "monday", "would replace the one that --since names"],
      ["latest", "monday", "would replace the one that --since names"],
      ["monday", "latest", "would replace the one that --since names"],
      ["full", "monday", "would replace that of"],
    ] as const)
      await expect(make(name, since)).rejects.toThrow(refusal);
    expect(fs.readFileSync(at("full")).equals(before[0]!)).toBe(true);
    expect(fs.readFileSync(at("monday")).equals(before[1]!)).toBe(true);
    // What holds none of its files may be replaced.
    fs.writeFileSync(at("other"), "no backup");
    expect(await make("other", "monday")).toMatchObject({ missing: [] });
    await make("other", "monday");
  });

  test("needs an earlier one that lists its files and is complete; one of an older Muster is still restored", async () => {
    await withoutList(at("full"), at("older"));
    await expect(make("no", "older")).rejects.toThrow(
      "is of an older Muster, or not complete. Make a full backup first",
    );
    await expectRestored(["older"], [first]);
    fs.writeFileSync(at("cut"), fs.readFileSync(at("full")).subarray(0, -2_048));
    await expect(make("no", "cut")).rejects.toThrow(/breaks off|not complete/);
    await backup({ databaseUrl: env.DATABASE_URL ?? "", authSecret, withSecret: true, withoutFiles: true }, at("rows"));
    await expect(make("no", "rows")).rejects.toThrow("has no files");
    await expect(make("no", "absent")).rejects.toThrow("cannot be read");
    expect(fs.readdirSync(folder).filter((name) => name.startsWith("no."))).toEqual([]);
    expect(listFiles({ databaseUrl: "", dataDir: folder }).filter((name) => name.endsWith(".part"))).toEqual([]);
  });
});

async function manifestText(name: string): Promise<string> {
  const source = await openArchive(at(name));
  try {
    for await (const entry of readTar(source)) return await text(entry.bytes());
    return "";
  } finally {
    await source.close();
  }
}
