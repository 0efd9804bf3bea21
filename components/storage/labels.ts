import type { StorageCheckName, TestOrigin } from "@/domain/storage-configs/checks";
import type { StorageProvider } from "@/domain/storage-configs/providers";
import type { BucketState } from "@/domain/storage-configs/states";

export const providerLabels: Readonly<Record<StorageProvider, string>> = {
  aws_s3: "S3",
  gc_storage: "Google Cloud",
};

export const stateLabels: Readonly<Record<BucketState, string>> = {
  working: "Working",
  failing: "Failing",
  untested: "Not tested yet",
};

/** The steps of a test, and what Muster needs each for. */
export const checkTexts: Readonly<Record<StorageCheckName, { label: string; use: string }>> = {
  reach: { label: "Reach", use: "The bucket exists and the credentials are known." },
  list: { label: "List", use: "Finds what is to be deleted with a recording or dataset." },
  write: { label: "Write", use: "Uploads and exports." },
  read: { label: "Read back", use: "Processing, thumbnails and downloads." },
  delete: { label: "Delete", use: "Files of what is deleted in Muster." },
  multipart: { label: "Multipart", use: "Files that are sent in parts, such as exports." },
};

export const originLabels: Readonly<Record<TestOrigin, string>> = {
  connected: "Connected",
  by_hand: "By hand",
  daily: "Daily",
  rotated: "New credentials",
};

/** The fields of a bucket as forms name them, for messages about one. */
export const fieldLabels: Readonly<Record<string, string>> = {
  s3_bucket_name: "Bucket",
  s3_bucket_region: "Region",
  s3_bucket_prefix: "Prefix",
  s3_endpoint_url: "Endpoint",
  s3_access_key_id: "Access key ID",
  s3_secret_access_key: "Secret access key",
  gc_storage_bucket_name: "Bucket",
  gc_storage_prefix: "Prefix",
  gc_storage_auth_json_content: "Key of the service account",
};
