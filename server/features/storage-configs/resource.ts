import { z } from "zod";
import { storageProviders } from "@/domain/storage-configs/providers";

export const StorageConfigResource = z.object({
  uid: z.string(),
  name: z.string(),
  provider: z.enum(storageProviders),
  s3_bucket_name: z.string().nullable(),
  s3_bucket_region: z.string().nullable(),
  s3_bucket_prefix: z.string().nullable(),
  s3_is_accelerated: z.boolean(),
  gc_storage_bucket_name: z.string().nullable(),
  gc_storage_prefix: z.string().nullable(),
  is_verified: z.boolean(),
  last_verified_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Additive. */
  s3_endpoint_url: z.string().nullable(),
});
export type StorageConfigResource = z.output<typeof StorageConfigResource>;

export const Verification = z.object({
  verified: z.boolean(),
  /** The errors by field, when it is not verified. */
  errors: z.record(z.string(), z.array(z.string())).optional(),
});
export type Verification = z.output<typeof Verification>;

/** The values for a customer's trust policy. */
export const SetupInfo = z.object({ service_aws_account_id: z.string(), external_id: z.string() });
export type SetupInfo = z.output<typeof SetupInfo>;
