import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { DiskStore } from "@/server/platform/storage/disk";
import { RoutedStore } from "@/server/platform/storage/routed";
import type { ObjectStore } from "@/server/platform/storage/store";

const filesFolder = (): string => path.join(env.DATA_DIR, "files");

/** The object store on the local disk, below DATA_DIR/files. */
export const diskStore = (): DiskStore => processWide("diskStore", () => new DiskStore(filesFolder()));

/**
 * Makes the folder of the files, and thereby its contents, inaccessible to other users of the machine: older versions
 * of Muster wrote world-readable files. Logs a warning when the system does not permit it.
 */
export async function protectFiles(): Promise<void> {
  try {
    await mkdir(filesFolder(), { recursive: true, mode: 0o700 });
    await chmod(filesFolder(), 0o700);
  } catch (error) {
    logFor("files").warn({ err: error }, "other users of this machine may be able to read the uploaded files");
  }
}

/** The store of all objects: each on this installation's disk or in the customer's bucket that its key names. */
export const objectStore = (): ObjectStore => processWide("objectStore", () => new RoutedStore(diskStore()));
