import fs from "node:fs";
import path from "node:path";
import pino from "pino";
import { CommandError } from "@/cli/api-client";
import { isInitialised, locateCluster } from "@/server/platform/database/cluster";
import { openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { finishRestore } from "@/server/platform/database/pending-restore";
import { env, applySettings } from "@/server/platform/env";
import { keptAuthSecret } from "@/server/platform/process/auth-secret";

/** What a command prints is its answer, so the database's start is not told. */
const quiet = pino({ level: "silent" });

/**
 * Runs `work` on the product's database: that of DATABASE_URL, or the embedded one of DATA_DIR, whether or not the
 * product is running; closes it all afterwards. Modules that talk to the database must be imported inside `work`, not
 * before: they read its address when they load. Throws a CommandError when there is no database yet, unless `create` is
 * set.
 */
export async function withDatabase<T>(work: () => Promise<T>, options: { create?: boolean } = {}): Promise<T> {
  const external = env.DATABASE_URL;
  if (external === undefined && !options.create && !hasDatabase(env.DATA_DIR)) {
    throw new CommandError(
      `There is no database in ${env.DATA_DIR}. Start Muster there once (npm start), or set DATA_DIR or DATABASE_URL.`,
    );
  }
  const embedded =
    external === undefined ? await openEmbeddedDatabase({ dataDir: env.DATA_DIR, log: quiet }) : undefined;
  try {
    if (embedded) applySettings({ DATABASE_URL: embedded.url });
    await connect(embedded?.url ?? external ?? "");
    if (!env.AUTH_SECRET) applySettings({ AUTH_SECRET: keptAuthSecret(env.DATA_DIR) }); // only now: a restore brings its own
    const { allowLongStatements, closeDatabase } = await import("@/server/platform/db");
    allowLongStatements();
    try {
      return await work();
    } finally {
      await closeDatabase();
    }
  } finally {
    // A server that was up belongs to a Muster that runs.
    if (embedded && !embedded.adopted) await embedded.stop();
  }
}

/** Looks for the embedded database's files without making a folder. */
const hasDatabase = (dataDir: string): boolean =>
  fs.existsSync(path.join(dataDir, "postgres")) && isInitialised(locateCluster(dataDir));

/** Brings the schema up to date and finishes an interrupted restore, which also tells whether the database answers. */
async function connect(url: string): Promise<void> {
  try {
    await migrateDatabase(url, quiet);
    await finishRestore(url, env.DATA_DIR);
  } catch (error) {
    // Node's error for an address where nobody listens on any of its protocols has only a code.
    const { message = "", code = "" } = error as { message?: string; code?: string };
    throw new CommandError(`The database cannot be used: ${message || code || String(error)}`);
  }
}
