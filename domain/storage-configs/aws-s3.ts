import { z } from "zod";
import { text } from "@/domain/fields";
import { maxUrlLength } from "@/domain/limits";
import { bucketName, keyPrefix, secret, storageFields } from "@/domain/storage-configs/kind";

const region = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/, { error: "Enter a valid region." });

export const awsS3 = storageFields({
  fields: {
    s3_bucket_name: bucketName.optional(),
    s3_bucket_region: region.optional(),
    s3_bucket_prefix: keyPrefix.nullable().optional(),
    s3_access_key_id: secret.optional(),
    s3_secret_access_key: secret.optional(),
    s3_is_accelerated: z.boolean().optional(),
    s3_cloudfront_domain: text(255).nullable().optional(),
    s3_cloudfront_public_key_id: text(255).nullable().optional(),
    /** Additive: the endpoint of an S3-compatible store; addressed by path. */
    s3_endpoint_url: text(maxUrlLength).nullable().optional(),
  },
  required: ["s3_bucket_name", "s3_bucket_region", "s3_access_key_id", "s3_secret_access_key"],
});
