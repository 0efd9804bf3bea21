import fs from "node:fs";
import path from "node:path";
import v8 from "node:v8";
import pino from "pino";
import { CommandError } from "@/cli/client/api-client";
import { isInitialised, locateCluster } from "@/server/platform/database/cluster";
import { openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { migrateDatabase } from "@/server/platform/database/migrate";
import { finishRestore } from "@/server/platform/database/pending-restore";
import { refusePooler } from "@/server/platform/database/pooler";
import { env, applySettings } from "@/server/platform/env";
import { keptAuthSecrets } from "@/server/platform/process/auth-secret";

/**
 * How many bytes of a WebAssembly function run before it is optimized; V8's default is 1.8 million. Most commands end before
 * the optimized code of Prisma's would pay for its compilation, which takes as long as all the rest of them.
 */
const wasmTieringBudget = 200_000_000;

/** The output of a command is its result, so the start of the database is not logged. */
const quiet = pino({ level: "silent" });

/**
 * Runs `work` on the database of DATABASE_URL or the embedded one of DATA_DIR, whether or not Muster is running. `work`
 * receives the names of the migrations that were missing, and must import modules that use the database itself, because
 * they read its URL when they load. Throws a CommandError when there is no database yet, unless `create` is set.
 */
export async function withDatabase<T>(
  work: (applied: string[]) => Promise<T>,
  options: { create?: boolean } = {},
): Promise<T> {
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
    const applied = await connect(embedded?.url ?? external ?? "", embedded === undefined);
    // Only now, because an interrupted restore may bring its own secret.
    if (!env.AUTH_SECRET) applySettings({ AUTH_SECRETS: keptAuthSecrets(env.DATA_DIR) });
    v8.setFlagsFromString(`--wasm-tiering-budget=${wasmTieringBudget}`);
    const { allowLongStatements, closeDatabase } = await import("@/server/platform/db");
    allowLongStatements();
    try {
      return await work(applied);
    } finally {
      await closeDatabase();
    }
  } finally {
    // A server that ran before belongs to a running Muster.
    if (embedded && !embedded.adopted) await embedded.stop();
  }
}

/** Looks for the embedded database's files without creating a folder. */
const hasDatabase = (dataDir: string): boolean =>
  fs.existsSync(path.join(dataDir, "postgres")) && isInitialised(locateCluster(dataDir));

/** Migrates the schema and finishes an interrupted restore, which also checks that the database can be reached. */
async function connect(url: string, isExternal: boolean): Promise<string[]> {
  try {
    if (isExternal) await refusePooler(url);
    const applied = await migrateDatabase(url, quiet);
    await finishRestore(url, env.DATA_DIR);
    return applied;
  } catch (error) {
    // Node's error has only a code when a connection is refused over IPv4 and IPv6.
    const { message = "", code = "" } = error as { message?: string; code?: string };
    throw new CommandError(`The database cannot be used: ${message || code || String(error)}`);
  }
}
