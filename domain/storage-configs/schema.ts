import { z } from "zod";
import { choice, longPage, nonBlank, text, uid } from "@/domain/fields";
import { maxUrlLength } from "@/domain/limits";

export const storageProviders = ["aws_s3", "gc_storage"] as const;
export type StorageProvider = (typeof storageProviders)[number];

const bucket = z.string().regex(/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, { error: "Enter a valid bucket name." });
const region = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/, { error: "Enter a valid region." });
const secret = nonBlank(4_096);
/** Keys in the bucket begin with it. */
const prefix = text(512).refine((value) => !/\p{Cc}/u.test(value), { error: "Enter a valid prefix." });

const needed = {
  aws_s3: ["s3_bucket_name", "s3_bucket_region", "s3_access_key_id", "s3_secret_access_key"],
  gc_storage: ["gc_storage_bucket_name", "gc_storage_auth_json_content"],
} as const satisfies Record<StorageProvider, readonly string[]>;

/** Which fields are needed depends on the provider. */
export const CreateStorageConfig = z
  .object({
    name: nonBlank(255),
    provider: choice(storageProviders),
    s3_bucket_name: bucket.optional(),
    s3_bucket_region: region.optional(),
    s3_bucket_prefix: prefix.nullable().optional(),
    s3_access_key_id: secret.optional(),
    s3_secret_access_key: secret.optional(),
    s3_is_accelerated: z.boolean().optional(),
    s3_cloudfront_domain: text(255).nullable().optional(),
    s3_cloudfront_public_key_id: text(255).nullable().optional(),
    /** Additive: of a store that speaks S3 and is not Amazon's; addressed by path. */
    s3_endpoint_url: text(maxUrlLength).nullable().optional(),
    gc_storage_bucket_name: bucket.optional(),
    gc_storage_prefix: prefix.nullable().optional(),
    /** The key file of a service account, as text. */
    gc_storage_auth_json_content: nonBlank(65_536).optional(),
  })
  .superRefine((value, issues) => {
    for (const field of needed[value.provider]) {
      if (value[field] === undefined)
        issues.addIssue({ code: "custom", path: [field], message: "This field is required." });
    }
  });
export type CreateStorageConfig = z.output<typeof CreateStorageConfig>;

/** The slug of the organization; needed by members of several. */
export const OfOrganization = z.object({ organization: text(255).optional() });
export type OfOrganization = z.output<typeof OfOrganization>;

export const StorageConfigFilters = OfOrganization.extend(longPage());
export type StorageConfigFilters = z.output<typeof StorageConfigFilters>;

export const StorageConfigUid = z.object({ uid: uid() });
