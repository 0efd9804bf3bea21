import type { Issue } from "@/domain/issues";
import type { CreateStorageConfig } from "@/domain/storage-configs/schema";
import type { BucketCredentials } from "@/server/platform/storage/bucket-credentials";
import type { BucketAddress } from "@/server/platform/storage/bucket-store";

/** One kind of object store: how to read its part of a request and show its part of a resource. */
export interface StorageKind<Members> {
  /** The address and credentials of a request. Throws `invalid` naming the offending field. */
  read: (input: CreateStorageConfig) => { address: BucketAddress; credentials: BucketCredentials };
  /** Lists the bucket. Resolves to the offending field and what is wrong with it, or null. */
  check: (address: BucketAddress, credentials: BucketCredentials) => Promise<Issue | null>;
  /** Its members of the resource; all null for a bucket of another kind (`address` is null). */
  show: (address: BucketAddress | null) => Members;
}
