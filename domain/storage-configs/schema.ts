import { z } from "zod";
import { required } from "@/domain/field-messages";
import { choice, choices, longPage, nonBlank, text, uid } from "@/domain/fields";
import { publishedVariants } from "@/domain/published";
import { awsS3 } from "@/domain/storage-configs/aws-s3";
import { gcStorage } from "@/domain/storage-configs/gc-storage";
import type { StorageFields } from "@/domain/storage-configs/kind";
import { type StorageProvider, storageProviders } from "@/domain/storage-configs/providers";
import { bucketStates } from "@/domain/storage-configs/states";

const kinds = { aws_s3: awsS3, gc_storage: gcStorage } satisfies Record<StorageProvider, StorageFields>;

/** The provider determines which fields are required. */
export const CreateStorageConfig = publishedVariants(
  z
    .object({
      name: nonBlank(255),
      provider: choice(storageProviders),
      ...kinds.aws_s3.fields,
      ...kinds.gc_storage.fields,
    })
    .superRefine((value, issues) => {
      for (const field of kinds[value.provider].required) {
        if (value[field] === undefined) issues.addIssue({ code: "custom", path: [field], message: required });
      }
    }),
  storageProviders.map((provider) =>
    z.object({
      provider: z.literal(provider),
      ...Object.fromEntries(kinds[provider].required.map((field) => [field, z.string()])),
    }),
  ),
);
export type CreateStorageConfig = z.output<typeof CreateStorageConfig>;

/** A new name, new credentials of the same bucket, or both. Fields of other providers are ignored. */
export const UpdateStorageConfig = z.object({
  name: nonBlank(255).optional(),
  s3_access_key_id: awsS3.fields.s3_access_key_id,
  s3_secret_access_key: awsS3.fields.s3_secret_access_key,
  gc_storage_auth_json_content: gcStorage.fields.gc_storage_auth_json_content,
});
export type UpdateStorageConfig = z.output<typeof UpdateStorageConfig>;

/** The slug of the organization; required for members of several. */
export const OfOrganization = z.object({ organization: text(255).optional() });
export type OfOrganization = z.output<typeof OfOrganization>;

export const StorageConfigFilters = OfOrganization.extend(longPage());
export type StorageConfigFilters = z.output<typeof StorageConfigFilters>;

/** What the screen filters by: `search` in the names of configurations and buckets, and the result of the last test. */
export const StorageFilters = z.object({
  search: text(255).optional(),
  provider: choices(storageProviders).optional(),
  state: choices(bucketStates).optional(),
  ...longPage(),
});
export type StorageFilters = z.output<typeof StorageFilters>;

export const StorageConfigUid = z.object({ uid: uid() });
export const StorageTestFilters = z.object({ ...StorageConfigUid.shape, ...longPage() });
export type StorageTestFilters = z.output<typeof StorageTestFilters>;
