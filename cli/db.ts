import path from "node:path";
import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import pino from "pino";
import { CommandError } from "@/cli/client/api-client";
import { backup } from "@/cli/db/backup";
import { isBucketAddress } from "@/cli/db/bucket";
import { peekFiles } from "@/cli/db/file-list";
import { computeMark } from "@/cli/db/format";
import { restore, type Restored } from "@/cli/db/restore";
import { verifyBackup } from "@/cli/db/verify";
import { withDatabase } from "@/cli/with-database";
import { openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { env } from "@/server/platform/env";
import { claimStore } from "@/server/platform/installation/claim-store";
import { parseStorage } from "@/server/platform/own-storage";
import { findKeptSecrets } from "@/server/platform/process/auth-secret";
import { openStore, ownStore } from "@/server/platform/storage/own";
import type { OwnStore } from "@/server/platform/storage/own-store";

const print = (line: string): void => void process.stderr.write(`${line}\n`);
const placeNamed = (name: string): string => (isBucketAddress(name) ? name : path.resolve(env.INIT_CWD ?? ".", name));
const count = (number: number, what: string): string =>
  `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

/** The exit code of a backup that is complete, and of a restore that is done, although files are damaged or missing. */
const filesFaulty = 3;

interface BackupOptions {
  withSecret?: boolean;
  withoutFiles?: boolean;
  since?: string;
  to?: string;
}

async function makeBackup(file: string | undefined, options: BackupOptions): Promise<void> {
  const { withSecret = false, withoutFiles = false, since, to } = options;
  const name = file ?? to;
  if (name === undefined || (file !== undefined && to !== undefined))
    throw new CommandError("Name one place for the backup: a file, or --to s3://bucket/key.");
  if (withoutFiles && since !== undefined)
    throw new CommandError("A backup --without-files copies none, so --since does not apply to it. Give one of them.");
  const target = placeNamed(name);
  const keptIn = env.AUTH_SECRET === undefined ? path.join(env.DATA_DIR, "auth-secret") : "AUTH_SECRET";
  await withDatabase(async () => {
    await claimStore(env.DATABASE_URL ?? "");
    const authSecret = env.AUTH_SECRETS.join("\n");
    const made = await backup(
      {
        databaseUrl: env.DATABASE_URL ?? "",
        authSecret,
        withSecret,
        withoutFiles,
        ...(since !== undefined && { since: placeNamed(since) }),
      },
      target,
      print,
    );
    for (const key of made.missing) print(`The file ${key} was lost before this backup; its row is kept.`);
    const kept = withoutFiles ? "it has another size than was recorded." : "it is kept as it is.";
    for (const key of made.damaged) print(`The file ${key} was damaged before this backup; ${kept}`);
    print(
      `${target}: ${count(made.rows, "row")} and ${count(made.files, "file")}, ${(made.bytes / 1e6).toFixed(1)} MB.`,
    );
    if (withoutFiles)
      print(
        `It names ${count(made.named, "file")} of ${ownStore().location} and holds none: a restore needs a store that has them.`,
      );
    if (since !== undefined)
      print(`${count(made.earlier, "file")} of earlier backups are not in it: a restore needs these too.`);
    print(
      withSecret
        ? "It contains the key to every secret of this Muster: keep it safe."
        : `The secret in ${keptIn} is not in it: keep that apart, a restore needs it. Its fingerprint is ${computeMark(authSecret)}.`,
    );
    if (made.missing.length + made.damaged.length > 0) process.exitCode = filesFaulty;
  });
}

/** Prints what it applied on stdout; `withDatabase` has applied it. */
const migrate = (): Promise<void> =>
  withDatabase(
    async (applied) => {
      print(applied.length === 0 ? "Nothing to apply." : `Applied ${count(applied.length, "migration")}:`);
      for (const name of applied) process.stdout.write(`${name}\n`);
      return Promise.resolve();
    },
    { create: true },
  );

/** Asks at the terminal, or reads one line of piped input. */
async function confirm(question: string, reply: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim() === reply;
  } finally {
    terminal.close();
  }
}

interface RestoreOptions {
  force?: boolean;
  strict?: boolean;
  with: string[];
  filesAt?: string;
}

/** The store that has the files of a backup without files. */
function storeOfFiles(filesAt: string | undefined): OwnStore {
  const storage = filesAt === undefined ? env.STORAGE : parseStorage(filesAt);
  if (!storage)
    throw new CommandError(`--files-at needs "disk" or an address such as s3://bucket/prefix, not "${filesAt}".`);
  return openStore(storage);
}

async function restoreBackup(name: string, options: RestoreOptions): Promise<void> {
  const source = placeNamed(name);
  const withoutFiles = (await peekFiles(source)) === "none";
  const { force = false, strict = false, filesAt } = options;
  if (!withoutFiles && env.STORAGE !== "disk")
    throw new CommandError(
      "A backup is restored to disk first: set STORAGE=disk, restore, then `files move` to the bucket. Nothing was changed.",
    );
  if (!withoutFiles && filesAt !== undefined)
    throw new CommandError("This backup holds its files, so --files-at does not apply to it. Nothing was changed.");
  const store = withoutFiles ? { store: storeOfFiles(filesAt) } : {};
  const verified = await verifyBackup(source, options.with.map(placeNamed));
  const { DATABASE_URL: external, DATA_DIR: dataDir } = env;
  // Several are one to a backup: its rows may be sealed with any of them.
  const authSecret = env.AUTH_SECRETS.length > 0 ? env.AUTH_SECRETS.join("\n") : undefined;
  const embedded =
    external === undefined ? await openEmbeddedDatabase({ dataDir, log: pino({ level: "silent" }) }) : undefined;
  try {
    const place = embedded ? dataDir : new URL(external ?? "").host + new URL(external ?? "").pathname;
    const what = withoutFiles ? "Every row" : "Everything";
    const mayReplace = async () =>
      force && (await confirm(`${what} in ${place} will be lost. Type "replace" to continue: `, "replace"));
    const databaseUrl = embedded?.url ?? external ?? "";
    const keptSecret = findKeptSecrets(dataDir);
    const restored = await restore(verified, {
      ...{ databaseUrl, dataDir, authSecret, keptSecret, mayReplace, strict },
      ...store,
    });
    report(restored, store.store?.location ?? dataDir);
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error;
    const { code = "no reason was given", hint } = error as { code?: string; hint?: string };
    const reason = [error.message || code, hint].filter(Boolean).join(" ");
    throw new CommandError(`The restore failed, and nothing was changed: ${reason}`);
  } finally {
    if (embedded && !embedded.adopted) await embedded.stop();
  }
}

function report({ files, createdAt, damaged, listed }: Restored, location: string): void {
  for (const key of damaged) print(`The file ${key} was damaged before this backup; it is restored as it is.`);
  if (!listed)
    return print(`Restored what was there at ${createdAt}, with ${count(files, "file")}. Start Muster again.`);
  const { missing, damaged: differing } = listed.found;
  for (const key of missing) print(`The file ${key} is missing in ${location}.`);
  for (const key of differing) print(`The file ${key} of ${location} is not the one that was backed up.`);
  print(
    `Restored the rows of ${createdAt}. They need ${count(listed.named, "file")} (${(listed.bytes / 1e6).toFixed(1)} MB) in ${location}: ${missing.length} missing, ${differing.length} damaged.`,
  );
  print("Once no other Muster uses that store, make it this one's with `files claim`, and start Muster.");
  if (missing.length + differing.length > 0) process.exitCode = filesFaulty;
}

export const dbCommand = (): Command =>
  new Command("db")
    .description("Back up and restore the database with every uploaded file, and apply its migrations.")
    .addCommand(
      new Command("migrate")
        .description("Apply the migrations that the database lacks. Muster of the version before may run meanwhile.")
        .addHelpText("after", "\nProcesses that start with MIGRATIONS=wait wait for this.")
        .action(migrate),
    )
    .addCommand(
      new Command("backup")
        .description(
          "Write everything, as of one moment, to one file. Muster may run meanwhile. Exits with 3 when it is complete and files are damaged or missing.",
        )
        .argument("[file]", "the tar archive to create")
        .option("--to <address>", "an object s3://bucket/key instead, with the S3 settings; nothing is written to disk")
        .option("--without-files", "name the files with their sizes and tags instead of copying them")
        .option("--since <backup>", "leave out files that an earlier backup, or one before that, has as they are now")
        .option("--with-secret", "include what decrypts the secrets in it; without it, keep that apart")
        .addHelpText("after", "\nBacks up the database of DATA_DIR or DATABASE_URL and the files of STORAGE.")
        .action(makeBackup),
    )
    .addCommand(
      new Command("restore")
        .description("Put a backup into an empty database and an empty DATA_DIR. The whole file is verified first.")
        .argument("<file>", "what `db backup` wrote, or its address s3://bucket/key")
        .option(
          "--with <backup>",
          "an earlier backup that holds files of this one; may be repeated",
          (value, all: string[]) => [...all, value],
          [],
        )
        .option("--files-at <store>", "where the files of a backup without files are, if not in STORAGE")
        .option("--force", "replace existing data, after you have typed a confirmation")
        .option("--strict", "refuse a backup in which a file is damaged, before anything is changed")
        .addHelpText("after", "\nRestores into DATA_DIR or DATABASE_URL, which need not exist. Stop Muster first.")
        .action(restoreBackup),
    );
