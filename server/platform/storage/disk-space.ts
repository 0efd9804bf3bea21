import { statfs } from "node:fs/promises";
import path from "node:path";
import { computeReserve } from "@/server/platform/disk-reserve";
import { env } from "@/server/platform/env";
import { ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";

const log = logFor("files");

/** Bytes of a disk; `free` are those that Muster may use. */
export interface DiskSpace {
  free: number;
  size: number;
}

const readDisk = async (folder: string): Promise<DiskSpace> => {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
};

/** How the space of a folder's disk is read; tests put another in its place. */
export const diskSpaceReader = processWide("diskSpaceReader", () => ({
  read: readDisk,
  /** Milliseconds after which a long write looks at the space again. */
  everyMs: 1_000,
}));

/** The space of the disk of a folder, which may not exist yet. */
async function readSpace(folder: string): Promise<DiskSpace> {
  try {
    return await diskSpaceReader.read(folder);
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!missing || path.dirname(folder) === folder) throw error;
    return readSpace(path.dirname(folder));
  }
}

const retryAfterSeconds = 60;
const warnEveryMs = 10 * 60_000;
const state = processWide("diskSpace", () => ({ warnedAt: -Infinity }));

/** The refusal of bytes that the disk has no space for. */
export const noSpace = (): ServiceError =>
  new ServiceError("unavailable", { detail: "There is no space left for uploads.", retryAfterSeconds });

/** Whether `folder`'s disk would have less than DISK_RESERVE left with `bytes` more on it. */
async function isBelowReserve(folder: string, bytes: number): Promise<boolean> {
  const { free, size } = await readSpace(folder);
  return free - bytes < computeReserve(env.DISK_RESERVE, size);
}

/** Whether the disk of the files has less than DISK_RESERVE left. */
export const isDiskLow = (): Promise<boolean> => isBelowReserve(env.DATA_DIR, 0);

/**
 * Throws `unavailable` (503) when `bytes` more would leave less than DISK_RESERVE: the database, which is on the same
 * disk by default, must not fail because of files.
 */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  if (!(await isBelowReserve(folder, bytes))) return;
  const now = performance.now();
  if (now - state.warnedAt > warnEveryMs) {
    state.warnedAt = now;
    log.error({ folder, bytes }, "the disk has less than DISK_RESERVE left: uploads and exports are refused");
  }
  throw noSpace();
}

/** Throws as `requireSpace`, looking once a second at most; for writes whose size is not known or that take long. */
export function spaceGuard(folder: string): () => Promise<void> {
  let lookedAt = performance.now();
  return async () => {
    const now = performance.now();
    if (now - lookedAt < diskSpaceReader.everyMs) return;
    lookedAt = now;
    await requireSpace(folder, 0);
  };
}
