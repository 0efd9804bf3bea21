import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { metrics } from "@/server/platform/metrics";
import { processWide } from "@/server/platform/process-wide";
import { isDiskLow } from "@/server/platform/storage/disk-space";
import { ownStore } from "@/server/platform/storage/own";

const log = logFor("files");

/** What is wrong with the storage; nothing when it can be written and has its reserve. */
export interface StorageWarnings {
  /** `low`: less than DISK_RESERVE is left. `full`: nothing can be written, for whatever reason. */
  disk?: "low" | "full";
  /** The bucket of STORAGE does not respond as it should. */
  bucket?: "failed";
}

const lookEveryMs = 10_000;
const probe = new Uint8Array(1024 * 1024);

interface Watch {
  found: StorageWarnings;
  looking: boolean;
}
const watch = processWide("storageWatch", (): Watch => ({ found: {}, looking: false }));

/** What the last look found. Costs nothing: a disk that does not respond delays no request. */
export const storageWarnings = (): StorageWarnings => watch.found;

/** Writes and syncs a file: a full disk accepts an empty one. */
async function writeProbe(): Promise<void> {
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

async function findDiskWarning(): Promise<StorageWarnings["disk"]> {
  try {
    await writeProbe();
    return (await isDiskLow()) ? "low" : undefined;
  } catch (error) {
    noteFull(error);
    return "full";
  }
}

async function findBucketWarning(): Promise<StorageWarnings["bucket"]> {
  if (env.STORAGE === "disk") return undefined;
  try {
    await ownStore().readMark();
    return undefined;
  } catch (error) {
    if (watch.found.bucket === undefined) log.error({ err: error }, "the bucket of STORAGE does not respond");
    return "failed";
  }
}

function noteFull(error: unknown): void {
  if (watch.found.disk !== "full") log.error({ err: error }, "no file can be written: uploads and exports are refused");
}

function keep(disk: StorageWarnings["disk"], bucket: StorageWarnings["bucket"]): void {
  watch.found = { ...(disk && { disk }), ...(bucket && { bucket }) };
  metrics.storageUnwritable.set(disk === "full" || bucket ? 1 : 0);
}

/** Looks at the storage once, and keeps what it found. Never rejects. */
export async function lookAtStorage(): Promise<void> {
  watch.looking = true;
  try {
    const [disk, bucket] = await Promise.all([findDiskWarning(), findBucketWarning()]);
    keep(disk, bucket);
  } finally {
    watch.looking = false;
  }
}

/**
 * Looks at the storage now and every ten seconds until the returned function is called. A look that has not ended by
 * the next one counts as one that could not write.
 */
export function watchStorage(): () => void {
  void lookAtStorage();
  const timer = setInterval(() => {
    if (!watch.looking) return void lookAtStorage();
    noteFull(new Error(`a file of ${probe.length} bytes was not written in ${lookEveryMs / 1_000} s`));
    keep("full", watch.found.bucket);
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
