import { z } from "zod";
import { storageChecks, testOrigins } from "@/domain/storage-configs/checks";
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

/** What one step of a test found. */
export const StorageCheck = z.object({
  name: z.enum(storageChecks),
  /** Null: it was not tried, because an earlier step failed. */
  ok: z.boolean().nullable(),
  ms: z.int().nullable(),
  /** The field to change, what is wrong, and the permission that is missing. */
  field: z.string().nullable(),
  message: z.string().nullable(),
  permission: z.string().nullable(),
});
export type StorageCheck = z.output<typeof StorageCheck>;

export const Verification = z.object({
  verified: z.boolean(),
  /** The errors by field, when it is not verified. */
  errors: z.record(z.string(), z.array(z.string())).optional(),
  /** Additive: what each step found; those beyond listing say what will not work. */
  checks: z.array(StorageCheck),
});
export type Verification = z.output<typeof Verification>;

/** The values for a customer's trust policy. */
export const SetupInfo = z.object({ service_aws_account_id: z.string(), external_id: z.string() });
export type SetupInfo = z.output<typeof SetupInfo>;

/** The result of one test of a bucket. */
export const StorageTestResource = z.object({
  uid: z.string(),
  origin: z.enum(testOrigins),
  /** Who made it. */
  by_name: z.string(),
  passed: z.boolean(),
  checks: z.array(StorageCheck),
  created_at: z.string(),
});
export type StorageTestResource = z.output<typeof StorageTestResource>;
