import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, inject, test } from "vitest";
import { moveFiles } from "@/cli/files-move";
import { verifyFiles } from "@/cli/files-verify";
import { withConnection } from "@/server/platform/database/connection";
import { env } from "@/server/platform/env";
import { claimStore } from "@/server/platform/installation/claim-store";
import { DiskStore } from "@/server/platform/storage/disk";
import { cloneTemplate } from "@/server/testing/database";
import { unique } from "@/server/testing/factories";
import { filesOfKey } from "@/server/testing/stored-files";

interface Installation {
  databaseUrl: string;
  folder: string;
  source: DiskStore;
  keys: string[];
}

const run = inject("testRun");
const newFolder = () => path.join(env.DATA_DIR, unique("files"));

/** An installation of its own, with a recording's files and a logo. */
async function install(): Promise<Installation> {
  const databaseUrl = await cloneTemplate(
    run.adminUrl,
    run.template,
    `run_${run.id}_${randomBytes(6).toString("hex")}`,
  );
  const folder = newFolder();
  const source = new DiskStore(folder);
  const keys = ["organizations/o/logo/l", "recordings/o/r/a", "recordings/o/r/b"];
  await withConnection({ connectionString: databaseUrl }, async (client) => {
    await client.query(`insert into organizations (uid, name, slug, logo_url, updated_at)
      values ('o', 'o', 'o', 'https://muster.example.com/organization-logos/o/l', now())`);
    await client.query(`insert into upload_sessions (uid, organization_id, files_hash, prefix, total_files, total_bytes)
      values ('s', 'o', '', 'recordings/o/r/', 2, 2000)`);
    for (const key of keys) {
      const { etag } = await source.put(key, new Blob([randomBytes(1_000)]).stream(), 1_000);
      if (!key.startsWith("recordings/")) continue;
      await client.query(
        `insert into stored_files (uid, organization_id, session_id, path, storage_key, size_bytes, etag, confirmed_at)
          values ($1, 'o', 's', $1, $1, 1000, $2, now())`,
        [key, etag],
      );
    }
  });
  await claimStore(databaseUrl, source);
  return { databaseUrl, folder, source, keys };
}
const list = async (store: DiskStore): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys;
};
const onDatabase = <T>(
  { databaseUrl }: Installation,
  work: (client: Parameters<typeof verifyFiles>[0]) => Promise<T>,
) => withConnection({ connectionString: databaseUrl }, work);
const verify = (from: Installation, store = from.source) => onDatabase(from, (client) => verifyFiles(client, store));
const newTarget = () => new DiskStore(newFolder());
const move = (from: Installation, target: DiskStore, options = {}) =>
  onDatabase(from, (client) => moveFiles(client, from.source, target, options));

/** Flips a bit of a stored file. */
function damage({ folder }: Installation, key: string): void {
  const [file = ""] = filesOfKey(key, folder);
  const bytes = fs.readFileSync(file);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  fs.writeFileSync(file, bytes);
}

describe("files verify", () => {
  test("finds every damaged, missing and unknown file, and nothing in an intact store", async () => {
    const installation = await install();
    const { keys, source } = installation;
    const nothing = { damaged: [], missing: [], unverifiable: [] };
    expect(keys.length).toBeGreaterThanOrEqual(3);
    expect(await verify(installation)).toMatchObject({ checked: keys.length, found: nothing, unknown: [] });
    const [damaged = "", missing = ""] = keys;
    damage(installation, damaged);
    await source.delete(missing);
    await source.put("exports/o/x", new Blob(["x"]).stream(), 1);
    expect(await verify(installation)).toMatchObject({
      found: { damaged: [damaged], missing: [missing], unverifiable: [] },
      unknown: ["exports/o/x"],
    });
  });

  test("of a sample reads no more files than it was asked for", async () => {
    const installation = await install();
    const { checked } = await onDatabase(installation, (client) =>
      verifyFiles(client, installation.source, { sample: 2 }),
    );
    expect(checked).toBe(2);
  });
});

describe("files move", () => {
  test("copies every file, after which only the target is accepted at a start", async () => {
    const installation = await install();
    const target = newTarget();
    const { length } = installation.keys;
    expect(await move(installation, target)).toMatchObject({ copied: length, skipped: 0, missing: [], damaged: [] });
    expect((await list(target)).sort()).toEqual(installation.keys);
    expect((await verify(installation, target)).found.damaged).toEqual([]);
    await claimStore(installation.databaseUrl, target);
    await expect(claimStore(installation.databaseUrl, installation.source)).rejects.toThrow("were moved to");
    expect((await list(installation.source)).sort()).toEqual(installation.keys);
  });

  test("that was interrupted goes on where it was, and the target is refused until it has finished", async () => {
    const installation = await install();
    const target = newTarget();
    const [first = ""] = installation.keys;
    const { put } = target;
    target.put = (key, body, size) =>
      key === first ? put.call(target, key, body, size) : Promise.reject(new Error("the disk is full"));
    await expect(move(installation, target)).rejects.toThrow("the disk is full");
    await expect(claimStore(installation.databaseUrl, target)).rejects.toThrow("Repeat the move");
    await claimStore(installation.databaseUrl, installation.source);
    target.put = put;
    expect(await move(installation, target)).toMatchObject({ copied: installation.keys.length - 1, skipped: 1 });
    await claimStore(installation.databaseUrl, target);
  });

  test("deletes the source only when it is asked to and every copy is intact", async () => {
    const installation = await install();
    const target = newTarget();
    const [damaged = ""] = installation.keys;
    const [intact = ""] = filesOfKey(damaged, installation.folder);
    const bytes = fs.readFileSync(intact);
    damage(installation, damaged);
    await expect(move(installation, target, { deleteSource: true })).rejects.toThrow(damaged);
    expect((await list(installation.source)).sort()).toEqual(installation.keys);
    fs.writeFileSync(intact, bytes);
    await target.delete(damaged);
    const { length } = installation.keys;
    expect(await move(installation, target, { deleteSource: true })).toMatchObject({ copied: 1, deleted: length });
    expect([await list(installation.source), (await list(target)).sort()]).toEqual([[], installation.keys]);
  });

  test("is refused into a store with other files, or one of another installation", async () => {
    const [installation, other] = [await install(), await install()];
    await expect(move(installation, other.source)).rejects.toThrow("belongs to the installation");
    const target = newTarget();
    await target.put("recordings/o/r/f", new Blob(["x"]).stream(), 1);
    await expect(move(installation, target)).rejects.toThrow("is not empty");
  });
});
