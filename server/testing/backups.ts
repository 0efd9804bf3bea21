import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { backup } from "@/cli/db/backup";
import { restore as restoreVerified, type Restored, type RestoreTarget } from "@/cli/db/restore";
import { listTables } from "@/cli/db/tables";
import { verifyBackup } from "@/cli/db/verify";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { finishRestore } from "@/server/platform/database/pending-restore";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { nullable, queryRows, text } from "@/server/platform/rows";
import { markName } from "@/server/platform/storage/keys";
import { onServer, scratchDatabase } from "@/server/testing/database";
import { pictures } from "@/server/testing/datasets";
import { makeDevice, makeOrganization, unique } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures, uploadRecording } from "@/server/testing/processing";
import { lastingName } from "@/server/testing/stored-files";

/** A separate installation: a database, and a data folder that need not exist. */
export interface Place {
  databaseUrl: string;
  dataDir: string;
}

/** Two backups of one installation; the first was made when it held little data. */
interface TwoBackups {
  /** Where this test file may write. */
  folder: string;
  backups: Record<Which, string>;
  /** What `readState` returns for an installation restored from each of them. */
  states: Record<Which, string>;
  /** An installation restored from each of them; tests change copies. */
  restored: Record<Which, Place>;
  /** Two files that only the second has: the recording's has a row with its entity tag, the item's has none. */
  keys: { recording: string; item: string };
}
export type Which = "old" | "new";

export const secrets: Record<Which, string> = {
  old: "the secret of the one that is replaced",
  new: "the secret of the one that was backed up",
};

/** Deletes what the tests of other files left in the database of the run, whose backups would hold it. */
export const deleteOthers = async (): Promise<void> => {
  await prisma.organization.deleteMany();
};

export async function twoBackups(): Promise<TwoBackups> {
  await deleteOthers();
  const folder = path.join(env.DATA_DIR, unique("backups"));
  fs.mkdirSync(folder, { recursive: true });
  const take = async (which: Which): Promise<{ file: string; state: string; place: Place }> => {
    const file = path.join(folder, `${which}.tar`);
    await backup({ databaseUrl: env.DATABASE_URL ?? "", authSecret: secrets[which], withSecret: true }, file);
    const place = await emptyPlace(folder);
    await restore(file, place);
    return { file, state: await readState(place), place };
  };
  const org = await makeOrganization();
  const { uid: deviceId } = await makeDevice(org);
  await processedRecording(org, deviceId, [await jsonRecording({ "/temp": temperatures([1, 2, 3]) })]);
  const first = await take("old");
  const recordingId = await uploadRecording(org, deviceId, [await jsonRecording({ "/temp": temperatures([4, 5, 6]) })]);
  const { uid: datasetId } = await pictures(org, 2);
  await makeDevice(org);
  const second = await take("new");
  const { storageKey: recording } = await prisma.storedFile.findFirstOrThrow({ where: { recordingId } });
  const { storageKey: item } = await prisma.item.findFirstOrThrow({ where: { datasetId } });
  return {
    folder,
    backups: { old: first.file, new: second.file },
    states: { old: first.state, new: second.state },
    restored: { old: first.place, new: second.place },
    keys: { recording, item },
  };
}

export const emptyPlace = async (folder: string): Promise<Place> => ({
  databaseUrl: await scratchDatabase(inject("testRun")),
  dataDir: path.join(folder, unique("data")),
});

/** A copy of an installation, which takes a fraction of the time of another restore. */
export async function copyPlace({ databaseUrl, dataDir }: Place, folder: string): Promise<Place> {
  const copy = path.join(folder, unique("data"));
  fs.cpSync(dataDir, copy, { recursive: true, verbatimSymlinks: true });
  return { databaseUrl: await scratchDatabase(inject("testRun"), databaseUrl), dataDir: copy };
}

/** The target of a restore that may replace existing data, unless `change` overrides that. */
export const targetAt = (place: Place, change: Partial<RestoreTarget> = {}): RestoreTarget => ({
  ...place,
  authSecret: undefined,
  mayReplace: () => Promise.resolve(true),
  ...change,
});
export const restore = async (file: string, place: Place, change: Partial<RestoreTarget> = {}): Promise<Restored> =>
  restoreVerified(await verifyBackup(file), targetAt(place, change));

export const refuse = (): Promise<boolean> => Promise.resolve(false);

/** The settings of a Muster process that runs on an installation. */
export const getEnvironment = (place: Place): Record<string, string> => ({
  DATABASE_URL: place.databaseUrl,
  DATA_DIR: place.dataDir,
  AUTH_SECRET: "",
});

/** Does what every Muster process does at startup before it reads a row or a file. */
export async function start({ databaseUrl, dataDir }: Place): Promise<void> {
  await migrateDatabase(databaseUrl, logFor("test"));
  await finishRestore(databaseUrl, dataDir);
}

export const isLeftover = (name: string): boolean => name.includes(".restore-");
export const leftovers = (place: Place): string[] =>
  fs.readdirSync(path.join(place.dataDir, "files")).filter(isLeftover);
export const listFiles = ({ dataDir }: Place): string[] =>
  fs
    .readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name)))
    .sort();

/** Returns digests of all rows and files of an installation, except files that a killed restore left. */
export async function readState(place: Place): Promise<string> {
  const rows = await onServer(place.databaseUrl, async (client) => {
    await client.query("set TimeZone = 'UTC'");
    const digests: string[] = [];
    // A restore gives the installation a new id, and a backup notes itself.
    const noted = ["public.installation", "public.backups"];
    const tables = (await listTables(client)).filter(({ key }) => !noted.includes(key));
    for (const { key, name } of [...tables, { key: "migrations", name: "_prisma_migrations" }]) {
      const columns = key === "migrations" ? "migration_name" : "t::text";
      const digest = `select md5(string_agg(${columns}, ' ' order by ${columns})) as digest from ${name} t`;
      const [table] = await queryRows(client, { digest: nullable(text) }, digest);
      digests.push(`${key} ${table?.digest}`);
    }
    return digests.sort();
  });
  const names = listFiles(place).filter(
    (name) => !isLeftover(name) && name !== "muster.lock" && !name.endsWith(markName),
  );
  const md5 = (name: string) =>
    createHash("md5")
      .update(fs.readFileSync(path.join(place.dataDir, name)))
      .digest("hex");
  return [...rows, ...names.map((name) => `${lastingName(name)} ${md5(name)}`)].join("\n");
}
