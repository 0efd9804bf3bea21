import { Prisma } from "@/server/platform/database/generated/client";
import { pendingMigrations } from "@/server/platform/database/migrate";
import { pool, sql } from "@/server/platform/db";
import { zstdDecoder } from "@/server/platform/files/recording-codecs";
import type { ZstdDecoder } from "@/server/platform/files/zstd";
import { isClockWrong } from "@/server/platform/process/clock-check";
import { isStopping } from "@/server/platform/process/stopping";
import { type StorageWarnings, storageWarnings } from "@/server/platform/process/storage-watch";
import { int4 } from "@/server/platform/rows";

export interface Readiness {
  ready: boolean;
  /** "ok", or the state that makes the process unready. */
  checks: Record<"process" | "database" | "migrations", string>;
  /** Who decompresses zstd here: what the speed of reading recordings depends on most. */
  zstd: ZstdDecoder;
  /** What an operator should look at although the process can serve. */
  warnings: { clock?: "wrong" } & StorageWarnings;
}

const answer = { answer: int4 };
const statement = Prisma.sql`select ${1}::int4 as answer`;

/** Settled once two connections were found to keep what each prepares. */
let prepared: Promise<void> | undefined;

/**
 * Prepares a statement on two connections at the same time: behind a pooler that gives both the same session of the
 * server, and keeps no prepared statements for each, the second one fails.
 */
async function checkPrepared(): Promise<void> {
  const first = await pool.connect();
  try {
    await sql(answer, statement, first);
    const second = await pool.connect();
    try {
      await sql(answer, statement, second);
    } finally {
      second.release();
    }
  } finally {
    first.release();
  }
}

/** Runs a prepared statement as requests do. */
async function checkDatabase(): Promise<void> {
  prepared ??= checkPrepared().catch((error: unknown) => {
    prepared = undefined;
    throw error;
  });
  await prepared;
  await sql(answer, statement);
}

let migrated = false;

async function checkMigrations(): Promise<void> {
  if (migrated) return; // a database does not lose migrations while we run
  const pending = await pendingMigrations(pool);
  if (pending.length > 0) throw new Error(`${pending.length} pending`);
  migrated = true;
}

async function runCheck(check: () => Promise<void>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("timeout")), 3_000);
  });
  try {
    await Promise.race([check(), timeout]);
    return "ok";
  } catch {
    return "failed";
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether this process can serve: not stopping, database available and migrated. What is wrong with the storage is a
 * warning: uploads are refused, and all else works. Never throws.
 */
export async function readiness(): Promise<Readiness> {
  const [database, migrations] = await Promise.all([checkDatabase, checkMigrations].map(runCheck));
  const checks = {
    process: isStopping() ? "stopping" : "ok",
    database: database ?? "failed",
    migrations: migrations ?? "failed",
  };
  const warnings = { ...(isClockWrong() && { clock: "wrong" as const }), ...storageWarnings() };
  const ready = Object.values(checks).every((result) => result === "ok");
  return { ready, checks, zstd: await zstdDecoder(), warnings };
}
