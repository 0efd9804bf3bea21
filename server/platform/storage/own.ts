import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import type { OwnStorage } from "@/server/platform/own-storage";
import { processWide } from "@/server/platform/process-wide";
import { DiskStore } from "@/server/platform/storage/disk";
import { inBucket } from "@/server/platform/storage/keys";
import { OwnS3Store, type OwnBucket } from "@/server/platform/storage/own-s3";
import type { OwnStore } from "@/server/platform/storage/own-store";

const filesFolder = (): string => path.join(env.DATA_DIR, "files");

/** The object store on the local disk, below DATA_DIR/files. */
export const diskStore = (): DiskStore => processWide("diskStore", () => new DiskStore(filesFolder()));

/** A bucket of the operator's, with the S3 settings of this process. */
export function operatorBucket(place: { bucket: string; prefix: string | null }): OwnBucket {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  return {
    ...place,
    region: env.S3_REGION,
    endpointUrl: env.S3_ENDPOINT ?? null,
    publicEndpointUrl: env.S3_PUBLIC_ENDPOINT ?? null,
    accelerated: false,
    keys: accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : null,
    trusted: true,
  };
}

/** Opens the store at a place that STORAGE may name, with the other settings of this process. */
export const openStore = (storage: OwnStorage): OwnStore =>
  storage === "disk" ? diskStore() : new OwnS3Store(operatorBucket(storage));

/** The installation's own store, which STORAGE names. */
export const ownStore = (): OwnStore => processWide("ownStore", () => openStore(env.STORAGE));

/** Whether an object lies on the local disk, where reading parts of it costs little. */
export const isOnDisk = (key: string): boolean => env.STORAGE === "disk" && inBucket(key) === null;

/**
 * Makes the folder of the files, and thereby its contents, inaccessible to other users of the machine: older versions
 * of Muster wrote world-readable files. Logs a warning when the system does not permit it.
 */
export async function protectFiles(): Promise<void> {
  if (env.STORAGE !== "disk") return;
  try {
    await mkdir(filesFolder(), { recursive: true, mode: 0o700 });
    await chmod(filesFolder(), 0o700);
  } catch (error) {
    logFor("files").warn({ err: error }, "other users of this machine may be able to read the uploaded files");
  }
}
