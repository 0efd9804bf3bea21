import type { CreateStorageConfig, UpdateStorageConfig } from "@/domain/storage-configs/schema";
import type { StorageCheck } from "@/server/features/storage-configs/resource";
import type { BucketCredentials } from "@/server/platform/storage/bucket-credentials";
import type { BucketAddress } from "@/server/platform/storage/bucket-store";

/** One kind of object store: how to read its part of a request and show its part of a resource. */
export interface StorageKind<Members> {
  /** The address and credentials of a request. Throws `invalid` naming the offending field. */
  read: (input: CreateStorageConfig) => { address: BucketAddress; credentials: BucketCredentials };
  /** Those credentials that a request replaces; null when it has none of this kind. */
  readCredentials: (input: UpdateStorageConfig) => BucketCredentials | null;
  /** Tries everything that Muster does in the bucket. */
  check: (address: BucketAddress, credentials: BucketCredentials) => Promise<StorageCheck[]>;
  /** Its members of the resource; all null for a bucket of another kind (`address` is null). */
  show: (address: BucketAddress | null) => Members;
}
