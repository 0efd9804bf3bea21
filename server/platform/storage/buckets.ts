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

/** How long a process may use a cached configuration that another process has changed or deleted. */
const staleMs = 5_000;

interface CachedStore {
  store: BucketStore | null;
  mark: string;
  readAt: number;
}

const cache = processWide("buckets", () => new LRUCache<string, CachedStore>({ max: 1_000 }));

/** Creates the store of each kind of bucket; null when the credentials cannot be parsed. */
const stores: Record<StorageProvider, (at: BucketAddress, credentials: BucketCredentials) => BucketStore | null> = {
  aws_s3: (at, credentials) => new S3Store(s3Bucket(at, credentials)),
  gc_storage: (at, { serviceAccount }) => {
    const account = readServiceAccount(serviceAccount ?? "");
    return account && new GcsStore({ bucket: at.bucket, prefix: at.prefix, account });
  },
};

const createStore = (row: StorageConfig): BucketStore | null =>
  stores[row.provider as StorageProvider](row, openCredentials(row));

/** The store in the customer's bucket of a storage configuration; null when the configuration was deleted. */
export async function bucketStore(configUid: string): Promise<BucketStore | null> {
  const before = cache.get(configUid);
  if (before && performance.now() - before.readAt < staleMs) return before.store;
  const row = await prisma.storageConfig.findUnique({ where: { uid: configUid } });
  const mark = row?.credentialsSealed ?? "";
  const readAt = performance.now();
  if (before?.mark === mark) {
    before.readAt = readAt;
    return before.store;
  }
  const store = row && createStore(row);
  cache.set(configUid, { store, mark, readAt });
  return store;
}

/** Drops a configuration from this process's cache. */
export const forgetBucket = (configUid: string): void => void cache.delete(configUid);
