import fs from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { CommandError } from "@/cli/client/api-client";
import { moveFiles } from "@/cli/files-move";
import { verifyFiles } from "@/cli/files-verify";
import { withDatabase } from "@/cli/with-database";
import { withConnection } from "@/server/platform/database/connection";
import { env } from "@/server/platform/env";
import { claimStore, claimStoreAnyway } from "@/server/platform/installation/claim-store";
import { parseStorage } from "@/server/platform/own-storage";
import { tryLock } from "@/server/platform/process/file-lock.mjs";
import { openStore, ownStore } from "@/server/platform/storage/own";

const print = (line: string): void => void process.stderr.write(`${line}\n`);
const count = (number: number, what: string): string =>
  `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
const connection = () => ({ connectionString: env.DATABASE_URL ?? "", application_name: "muster-files" });

async function verify({ sample }: { sample?: string }): Promise<void> {
  if (sample !== undefined && !/^[1-9]\d{0,8}$/.test(sample)) throw new CommandError("--sample needs a whole number.");
  await withDatabase(async () => {
    await claimStore(env.DATABASE_URL ?? "");
    const options = { print, ...(sample !== undefined && { sample: Number(sample) }) };
    const { checked, found, unknown } = await withConnection(connection(), (client) =>
      verifyFiles(client, ownStore(), options),
    );
    for (const [kind, keys] of Object.entries({ ...found, unknown }))
      for (const key of keys) process.stdout.write(`${kind} ${key}\n`);
    const { damaged, missing, unverifiable } = found;
    print(
      `${count(checked, "file")} of ${ownStore().location} checked: ${damaged.length} damaged, ${missing.length} missing, ${unverifiable.length} not verifiable${sample === undefined ? `; ${unknown.length} unknown` : ""}.`,
    );
    if (damaged.length + missing.length > 0) process.exitCode = 1;
  });
}

async function move({ to, deleteSource = false }: { to: string; deleteSource?: boolean }): Promise<void> {
  const storage = parseStorage(to);
  if (!storage) throw new CommandError(`--to needs "disk" or an address such as s3://bucket/prefix, not "${to}".`);
  await withDatabase(async () => {
    const [source, target] = [ownStore(), openStore(storage)];
    fs.mkdirSync(env.DATA_DIR, { recursive: true, mode: 0o711 });
    const lock = tryLock(path.join(env.DATA_DIR, "muster.lock"));
    if (!lock.held) throw new CommandError("Muster is running on this DATA_DIR. Stop it first.");
    const { copied, skipped, bytes, missing, damaged, deleted } = await withConnection(connection(), (client) =>
      moveFiles(client, source, target, { deleteSource, print }),
    ).finally(lock.release);
    for (const key of missing) print(`The file ${key} was lost before; its row is unchanged.`);
    for (const key of damaged) print(`The file ${key} was damaged before; it is copied as it is.`);
    print(`${count(copied, "file")} copied, ${(bytes / 1e6).toFixed(1)} MB; ${skipped} had been copied before.`);
    print(`Set STORAGE=${to} for every process, and start Muster.`);
    if (deleteSource) print(`${count(deleted, "file")} of ${source.location} deleted.`);
    else
      print(
        `${source.location} is unchanged. To delete it, run this again with --delete-source before you change STORAGE.`,
      );
  });
}

const claim = (): Promise<void> =>
  withDatabase(async () => {
    await claimStoreAnyway(env.DATABASE_URL ?? "");
    print(`${ownStore().location} belongs to the installation of this database now.`);
  });

export const filesCommand = (): Command =>
  new Command("files")
    .description("Verify and move the stored files.")
    .addCommand(
      new Command("verify")
        .description(
          "Compare the bytes of stored files with what was recorded. Exits with 1 when one is damaged or missing.",
        )
        .option("--all", "every file, and look for objects that no row names (the default)")
        .option("--sample <count>", "only this many files, chosen at random")
        .addHelpText("after", "\nPrints a line for each file that is not intact. Muster may run meanwhile.")
        .action(verify),
    )
    .addCommand(
      new Command("move")
        .description("Copy all files to another store. Stop Muster first; may be repeated after an interruption.")
        .requiredOption("--to <store>", "s3://bucket/prefix, with the S3 settings, or disk")
        .option("--delete-source", "delete the files where they were, once all copies were read and are intact")
        .action(move),
    )
    .addCommand(
      new Command("claim").description("Make the store that of this database, whatever it was before.").action(claim),
    );
