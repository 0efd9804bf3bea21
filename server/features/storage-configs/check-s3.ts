import type { Issue } from "@/domain/issues";
import { EgressError } from "@/server/platform/http-client/http-client";
import { s3Client, type S3Bucket } from "@/server/platform/storage/s3-client";

/** What each of S3's refusals says of the fields that were given. */
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

/** Reaches a bucket with its credentials: what is wrong with which field, or null when it can be listed. */
export async function checkS3(target: S3Bucket): Promise<Issue | null> {
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
