import { LRUCache } from "lru-cache";
import type { StorageProvider } from "@/domain/storage-configs/providers";
import type { StorageConfig } from "@/server/platform/database/generated/client";
import { prisma } from "@/server/platform/db";
import { processWide } from "@/server/platform/process-wide";
import { openCredentials, type BucketCredentials } from "@/server/platform/storage/bucket-credentials";
import type { BucketAddress, BucketStore } from "@/server/platform/storage/bucket-store";
import { GcsStore } from "@/server/platform/storage/gcs";
import { readServiceAccount } from "@/server/platform/storage/gcs-client";
import { S3Store } from "@/server/platform/storage/s3";
import { s3Bucket } from "@/server/platform/storage/s3-client";

/** How long a process may go on with a configuration that another one deleted. */
const staleMs = 5_000;

interface Known {
  store: BucketStore | null;
  mark: string;
  readAt: number;
}

const known = processWide("buckets", () => new LRUCache<string, Known>({ max: 1_000 }));

/** How a bucket of each kind is opened; null where the credentials cannot be read. */
const stores: Record<StorageProvider, (at: BucketAddress, credentials: BucketCredentials) => BucketStore | null> = {
  aws_s3: (at, credentials) => new S3Store(s3Bucket(at, credentials)),
  gc_storage: (at, { serviceAccount }) => {
    const account = readServiceAccount(serviceAccount ?? "");
    return account && new GcsStore({ bucket: at.bucket, prefix: at.prefix, account });
  },
};

const createStore = (row: StorageConfig): BucketStore | null =>
  stores[row.provider as StorageProvider](row, openCredentials(row));

/** The customer's bucket of a storage configuration; null when there is none any more. */
export async function bucketStore(configUid: string): Promise<BucketStore | null> {
  const before = known.get(configUid);
  if (before && performance.now() - before.readAt < staleMs) return before.store;
  const row = await prisma.storageConfig.findUnique({ where: { uid: configUid } });
  const mark = row?.credentialsSealed ?? "";
  const readAt = performance.now();
  if (before?.mark === mark) {
    before.readAt = readAt;
    return before.store;
  }
  const store = row && createStore(row);
  known.set(configUid, { store, mark, readAt });
  return store;
}

/** Forgets what this process knows of a configuration. */
export const forgetBucket = (configUid: string): void => void known.delete(configUid);
