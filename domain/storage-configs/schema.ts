import { z } from "zod";
import { required } from "@/domain/field-messages";
import { choice, longPage, nonBlank, text, uid } from "@/domain/fields";
import { publishedVariants } from "@/domain/published";
import { awsS3 } from "@/domain/storage-configs/aws-s3";
import { gcStorage } from "@/domain/storage-configs/gc-storage";
import type { StorageFields } from "@/domain/storage-configs/kind";
import { type StorageProvider, storageProviders } from "@/domain/storage-configs/providers";

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

/** The slug of the organization; required for members of several. */
export const OfOrganization = z.object({ organization: text(255).optional() });
export type OfOrganization = z.output<typeof OfOrganization>;

export const StorageConfigFilters = OfOrganization.extend(longPage());
export type StorageConfigFilters = z.output<typeof StorageConfigFilters>;

export const StorageConfigUid = z.object({ uid: uid() });
