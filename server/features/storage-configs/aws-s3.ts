import type { Issue } from "@/domain/issues";
import type { StorageKind } from "@/server/features/storage-configs/kind";
import type { StorageConfigResource } from "@/server/features/storage-configs/resource";
import { invalid } from "@/server/platform/errors";
import { EgressError, checkUrl } from "@/server/platform/http-client/http-client";
import { type S3Bucket, s3Bucket, s3Client } from "@/server/platform/storage/s3-client";

/** The field and message for each error code of S3. */
const refusals: Readonly<Record<string, readonly [field: string, message: string]>> = {
  NoSuchBucket: ["s3_bucket_name", "There is no such bucket."],
  InvalidBucketName: ["s3_bucket_name", "Enter a valid bucket name."],
  InvalidAccessKeyId: ["s3_access_key_id", "This access key does not exist."],
  SignatureDoesNotMatch: ["s3_secret_access_key", "This is not the secret of the access key."],
  AccessDenied: ["s3_access_key_id", "This access key may not list the bucket."],
  PermanentRedirect: ["s3_bucket_region", "The bucket is in another region."],
  AuthorizationHeaderMalformed: ["s3_bucket_region", "The bucket is in another region."],
  IllegalLocationConstraintException: ["s3_bucket_region", "The bucket is in another region."],
};

async function checkS3(target: S3Bucket): Promise<Issue | null> {
  const { ListObjectsV2Command } = await import("@aws-sdk/client-s3");
  const { endpointUrl } = target;
  const client = await s3Client(target, 1);
  try {
    await client.send(
      new ListObjectsV2Command({ Bucket: target.bucket, MaxKeys: 1, ...(target.prefix && { Prefix: target.prefix }) }),
    );
    return null;
  } catch (error) {
    if (error instanceof EgressError) {
      const path = [endpointUrl === null ? "s3_bucket_name" : "s3_endpoint_url"];
      return { path, message: `The bucket could not be reached: ${error.message}.` };
    }
    const { name = "", $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode ?? 0;
    const [field, message] = refusals[name] ??
      (status === 404 ? refusals.NoSuchBucket : status === 403 ? refusals.AccessDenied : undefined) ?? [
        "s3_bucket_name",
        status > 0 ? `The store refused the bucket (${status}).` : "The store did not answer as S3 does.",
      ];
    return { path: [field], message };
  } finally {
    client.destroy();
  }
}

type Members = Pick<
  StorageConfigResource,
  "s3_bucket_name" | "s3_bucket_region" | "s3_bucket_prefix" | "s3_is_accelerated" | "s3_endpoint_url"
>;

export const awsS3: StorageKind<Members> = {
  read: (input) => {
    const endpointUrl = input.s3_endpoint_url || null;
    const checked = endpointUrl === null ? null : checkUrl(endpointUrl);
    if (checked?.ok === false) throw invalid("s3_endpoint_url", checked.message);
    return {
      address: {
        bucket: input.s3_bucket_name ?? "",
        prefix: input.s3_bucket_prefix || null,
        region: input.s3_bucket_region ?? null,
        endpointUrl,
        accelerated: input.s3_is_accelerated ?? false,
      },
      credentials: {
        accessKeyId: input.s3_access_key_id,
        secretAccessKey: input.s3_secret_access_key,
        cloudfrontDomain: input.s3_cloudfront_domain,
        cloudfrontPublicKeyId: input.s3_cloudfront_public_key_id,
      },
    };
  },
  check: (address, credentials) => checkS3(s3Bucket(address, credentials)),
  show: (address) => ({
    s3_bucket_name: address?.bucket ?? null,
    s3_bucket_region: address?.region ?? null,
    s3_bucket_prefix: address?.prefix ?? null,
    s3_is_accelerated: address?.accelerated ?? false,
    s3_endpoint_url: address?.endpointUrl ?? null,
  }),
};
