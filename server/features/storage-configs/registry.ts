import type { StorageProvider } from "@/domain/storage-configs/providers";
import { awsS3 } from "@/server/features/storage-configs/aws-s3";
import { gcStorage } from "@/server/features/storage-configs/gc-storage";
import type { StorageKind } from "@/server/features/storage-configs/kind";
import type { BucketAddress } from "@/server/platform/storage/bucket-store";

export const storageKinds = { aws_s3: awsS3, gc_storage: gcStorage } satisfies Record<
  StorageProvider,
  StorageKind<object>
>;

/** The address members of the resource: those of the bucket's own kind, and those of the others as null. */
export function bucketMembers(provider: StorageProvider, address: BucketAddress) {
  const of = (kind: StorageProvider) => (kind === provider ? address : null);
  return {
    ...storageKinds.aws_s3.show(of("aws_s3")),
    ...storageKinds.gc_storage.show(of("gc_storage")),
  };
}
