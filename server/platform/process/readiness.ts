import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { pendingMigrations } from "@/server/platform/database/migrate";
import { pool } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { isClockWrong } from "@/server/platform/process/clock-check";
import { isStopping } from "@/server/platform/process/stopping";
import { zstdDecoder } from "@/server/platform/recording-codecs";
import { isDiskLow } from "@/server/platform/storage/disk-space";
import { ownStore } from "@/server/platform/storage/own";
import type { ZstdDecoder } from "@/server/platform/zstd";

export interface Readiness {
  ready: boolean;
  /** "ok", or the state that makes the process unready. */
  checks: Record<"process" | "database" | "migrations" | "storage", string>;
  /** Who decompresses zstd here: what the speed of reading recordings depends on most. */
  zstd: ZstdDecoder;
  /** What an operator should look at although the process can serve. */
  warnings: { clock?: "wrong"; disk?: "low" };
}

let migrated = false;

async function checkDatabase(): Promise<void> {
  await pool.query("select 1");
}

async function checkMigrations(): Promise<void> {
  if (migrated) return; // a database does not lose migrations while we run
  const pending = await pendingMigrations(pool);
  if (pending.length > 0) throw new Error(`${pending.length} pending`);
  migrated = true;
}

const probe = new Uint8Array(1024 * 1024);
const probeEveryMs = 10_000;
let probed: { at: number; result: Promise<void> } | undefined;

/** Writes and syncs a file, at most every ten seconds: a full disk accepts an empty one. */
function checkStorage(): Promise<void> {
  if (!probed || performance.now() - probed.at >= probeEveryMs) {
    const result = writeProbe();
    result.catch(() => {}); // reported to those who await it
    probed = { at: performance.now(), result };
  }
  return probed.result;
}

async function writeProbe(): Promise<void> {
  if (env.STORAGE !== "disk") await ownStore().readMark();
  // With a bucket only temporary files are on the disk.
  const folder = env.STORAGE === "disk" ? path.join(env.DATA_DIR, "files") : env.DATA_DIR;
  const file = path.join(folder, `.writable-${randomUUID()}`);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await fs.writeFile(file, probe, { mode: 0o600, flush: true });
  } finally {
    await fs.rm(file, { force: true });
  }
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

/** Whether this process can serve: not stopping, database available and migrated, storage writable. Never throws. */
export async function readiness(): Promise<Readiness> {
  const [database, migrations, storage] = await Promise.all(
    [checkDatabase, checkMigrations, checkStorage].map(runCheck),
  );
  const checks = {
    process: isStopping() ? "stopping" : "ok",
    database: database ?? "failed",
    migrations: migrations ?? "failed",
    storage: storage ?? "failed",
  };
  const low = await isDiskLow().catch(() => false);
  const warnings = { ...(isClockWrong() && { clock: "wrong" as const }), ...(low && { disk: "low" as const }) };
  const ready = Object.values(checks).every((result) => result === "ok");
  return { ready, checks, zstd: await zstdDecoder(), warnings };
}
