import { createWriteStream } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { StoredFile } from "@/server/platform/database/generated/client";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";
import { requireSpace } from "@/server/platform/storage/disk-space";

/**
 * Runs `work` with a folder of its own for the file that is converted, which is removed afterwards. Throws `unavailable`
 * when `bytes` do not fit on the disk.
 */
export async function withWorkFolder<T>(
  { uid }: StoredFile,
  bytes: number,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = path.join(env.DATA_DIR, "tmp", `conversion-${uid}`);
  await fs.rm(folder, { recursive: true, force: true }); // of an attempt that was cut off
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await requireSpace(folder, bytes);
    return await work(folder);
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

async function openStored({ storageKey }: StoredFile): Promise<Readable> {
  const body = await objectStore().read(storageKey);
  return Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
}

/** Runs `work` with the bytes of a stored file, from wherever it lies; it may leave some unread. */
export async function withStored<T>(file: StoredFile, work: (bytes: Readable) => Promise<T>): Promise<T> {
  const bytes = await openStored(file);
  try {
    return await work(bytes);
  } finally {
    bytes.destroy();
  }
}

/** Copies a stored file to this machine. */
export async function copyStored(file: StoredFile, target: string, signal: AbortSignal): Promise<void> {
  await pipeline(await openStored(file), createWriteStream(target), { signal });
}
