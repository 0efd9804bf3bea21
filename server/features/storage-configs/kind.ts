import type { Issue } from "@/domain/issues";
import type { CreateStorageConfig } from "@/domain/storage-configs/schema";
import type { BucketCredentials } from "@/server/platform/storage/bucket-credentials";
import type { BucketAddress } from "@/server/platform/storage/bucket-store";

/** What a kind of store makes of its part of a request, and of its part of the answer. */
export interface StorageKind<Members> {
  /** What is kept of a request, and what of it is sealed. Throws `invalid` naming the field at fault. */
  read: (input: CreateStorageConfig) => { address: BucketAddress; credentials: BucketCredentials };
  /** Reaches the bucket: what is wrong with which field, or null when it can be listed. */
  check: (address: BucketAddress, credentials: BucketCredentials) => Promise<Issue | null>;
  /** Its members of the resource; of a bucket of another kind (null) there is nothing to show. */
  show: (address: BucketAddress | null) => Members;
}
