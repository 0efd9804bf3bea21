import { nonBlank } from "@/domain/fields";
import { bucketName, keyPrefix, storageFields } from "@/domain/storage-configs/kind";

export const gcStorage = storageFields({
  fields: {
    gc_storage_bucket_name: bucketName.optional(),
    gc_storage_prefix: keyPrefix.nullable().optional(),
    /** The key file of a service account, as text. */
    gc_storage_auth_json_content: nonBlank(65_536).optional(),
  },
  required: ["gc_storage_bucket_name", "gc_storage_auth_json_content"],
});
