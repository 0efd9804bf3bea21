import path from "node:path";
import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import pino from "pino";
import { CommandError } from "@/cli/api-client";
import { backup, computeMark } from "@/cli/db-backup";
import { restore } from "@/cli/db-restore";
import { verifyBackup } from "@/cli/db-verify";
import { withDatabase } from "@/cli/with-database";
import { openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { env } from "@/server/platform/env";
import { claimStore } from "@/server/platform/installation/claim-store";
import { findKeptSecrets } from "@/server/platform/process/auth-secret";

const print = (line: string): void => void process.stderr.write(`${line}\n`);
const fileNamed = (name: string): string => path.resolve(env.INIT_CWD ?? ".", name);
const count = (number: number, what: string): string =>
  `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

async function makeBackup(name: string, { withSecret = false }: { withSecret?: boolean }): Promise<void> {
  const target = fileNamed(name);
  const keptIn = env.AUTH_SECRET === undefined ? path.join(env.DATA_DIR, "auth-secret") : "AUTH_SECRET";
  await withDatabase(async () => {
    await claimStore(env.DATABASE_URL ?? "");
    const authSecret = env.AUTH_SECRETS.join("\n");
    const source = { databaseUrl: env.DATABASE_URL ?? "", authSecret, withSecret };
    const { rows, files, bytes, missing, damaged } = await backup(source, target, print);
    for (const key of missing) print(`The file ${key} was lost before this backup; its row is kept.`);
    for (const key of damaged) print(`The file ${key} was damaged before this backup; it is kept as it is.`);
    print(`${target}: ${count(rows, "row")} and ${count(files, "file")}, ${(bytes / 1e6).toFixed(1)} MB.`);
    print(
      withSecret
        ? "It contains the key to every secret of this Muster: keep it safe."
        : `The secret in ${keptIn} is not in it: keep that apart, a restore needs it. Its fingerprint is ${computeMark(authSecret)}.`,
    );
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

async function restoreBackup(name: string, options: { force?: boolean; strict?: boolean }): Promise<void> {
  if (env.STORAGE !== "disk")
    throw new CommandError(
      "A backup is restored to disk first: set STORAGE=disk, restore, then `files move` to the bucket. Nothing was changed.",
    );
  const source = fileNamed(name);
  const verified = await verifyBackup(source);
  const { DATABASE_URL: external, DATA_DIR: dataDir } = env;
  // Several are one to a backup: its rows may be sealed with any of them.
  const authSecret = env.AUTH_SECRETS.length > 0 ? env.AUTH_SECRETS.join("\n") : undefined;
  const embedded =
    external === undefined ? await openEmbeddedDatabase({ dataDir, log: pino({ level: "silent" }) }) : undefined;
  try {
    const place = embedded ? dataDir : new URL(external ?? "").host + new URL(external ?? "").pathname;
    const mayReplace = async () =>
      options.force === true &&
      (await confirm(`Everything in ${place} will be lost. Type "replace" to continue: `, "replace"));
    const databaseUrl = embedded?.url ?? external ?? "";
    const { strict = false } = options;
    const keptSecret = findKeptSecrets(dataDir);
    const target = { databaseUrl, dataDir, authSecret, keptSecret, mayReplace, strict };
    const { files, createdAt, damaged } = await restore(verified, target);
    for (const key of damaged) print(`The file ${key} was damaged before this backup; it is restored as it is.`);
    print(`Restored what was there at ${createdAt}, with ${count(files, "file")}. Start Muster again.`);
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error;
    const { code = "no reason was given", hint } = error as { code?: string; hint?: string };
    const reason = [error.message || code, hint].filter(Boolean).join(" ");
    throw new CommandError(`The restore failed, and nothing was changed: ${reason}`);
  } finally {
    if (embedded && !embedded.adopted) await embedded.stop();
  }
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
        .description("Write everything, as of one moment, to one file. Muster may run meanwhile.")
        .argument("<file>", "the tar archive to create")
        .option("--with-secret", "include what decrypts the secrets in it; without it, keep that apart")
        .addHelpText("after", "\nBacks up the database of DATA_DIR or DATABASE_URL and the files of STORAGE.")
        .action(makeBackup),
    )
    .addCommand(
      new Command("restore")
        .description("Put a backup into an empty database and an empty DATA_DIR. The whole file is verified first.")
        .argument("<file>", "what `db backup` wrote")
        .option("--force", "replace existing data, after you have typed a confirmation")
        .option("--strict", "refuse a backup in which a file is damaged, before anything is changed")
        .addHelpText("after", "\nRestores into DATA_DIR or DATABASE_URL, which need not exist. Stop Muster first.")
        .action(restoreBackup),
    );
