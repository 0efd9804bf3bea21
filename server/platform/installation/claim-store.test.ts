import { randomBytes } from "node:crypto";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { env } from "@/server/platform/env";
import { claimStore, claimStoreAnyway, readMark, writeMark } from "@/server/platform/installation/claim-store";
import { DiskStore } from "@/server/platform/storage/disk";
import { cloneTemplate, onServer } from "@/server/testing/database";
import { unique } from "@/server/testing/factories";

const run = inject("testRun");
const newDatabase = () => cloneTemplate(run.adminUrl, run.template, `run_${run.id}_${randomBytes(6).toString("hex")}`);
const newStore = () => new DiskStore(path.join(env.DATA_DIR, unique("store")));

/** An organization whose logo is the only file that the database names. */
const nameFile = (database: string): Promise<string> =>
  onServer(database, async (client) => {
    const uid = unique().toLowerCase();
    const logo = `https://muster.example.com/organization-logos/${uid}/l`;
    await client.query(
      "insert into organizations (uid, name, slug, logo_url, updated_at) values ($1, $1, $1, $2, now())",
      [uid, logo],
    );
    return `organizations/${uid}/logo/l`;
  });
const storeFile = (store: DiskStore, key: string) => store.put(key, new Blob(["bytes"]).stream(), 5);

test("database and store get one id at their first start, with which every process starts", async () => {
  const [database, store] = [await newDatabase(), newStore()];
  await Promise.all([claimStore(database, store), claimStore(database, store), claimStore(database, store)]);
  const mark = await readMark(store);
  await claimStore(database, store);
  expect([mark, await readMark(store)]).toEqual([{ installation: expect.stringMatching(/^[0-9a-f-]{36}$/) }, mark]);
});

test("an installation of an earlier version gets its id with the store that has its files, and with no other", async () => {
  const [database, store] = [await newDatabase(), newStore()];
  await storeFile(store, await nameFile(database));
  await expect(claimStore(database, newStore())).rejects.toThrow("holds none of the files that the database names");
  await claimStore(database, store);
  await claimStore(database, store);
});

test("a process whose store belongs to another installation is refused with the ids of both", async () => {
  const [databases, stores] = [
    [await newDatabase(), await newDatabase()],
    [newStore(), newStore()],
  ] as const;
  for (const at of [0, 1] as const) await claimStore(databases[at], stores[at]);
  const [ours, theirs] = await Promise.all(stores.map(async (store) => (await readMark(store))?.installation));
  await expect(claimStore(databases[0], stores[1])).rejects.toThrow(
    `belongs to the installation ${theirs}, and the database to ${ours}.`,
  );
  await expect(claimStore(await newDatabase(), stores[1])).rejects.toThrow(`${theirs}, and the database to none.`);
});

test("an empty store beside a database that names files is refused until the operator claims it", async () => {
  const [database, store, empty] = [await newDatabase(), newStore(), newStore()];
  await claimStore(database, store);
  await storeFile(store, await nameFile(database));
  await expect(claimStore(database, empty)).rejects.toThrow("npm run muster -- files claim");
  await claimStoreAnyway(database, empty);
  await claimStore(database, empty);
  expect(await readMark(empty)).toEqual(await readMark(store));
});

test("a store whose files are being moved, or were moved away, is refused with what to do", async () => {
  const [database, store] = [await newDatabase(), newStore()];
  await claimStore(database, store);
  const { installation } = (await readMark(store)) ?? { installation: "" };
  await writeMark(store, { installation, moving_from: "s3://old" });
  await expect(claimStore(database, store)).rejects.toThrow("Repeat the move to its end");
  await writeMark(store, { installation, moved_to: "s3://new" });
  await expect(claimStore(database, store)).rejects.toThrow("were moved to s3://new. Set STORAGE to that.");
});
