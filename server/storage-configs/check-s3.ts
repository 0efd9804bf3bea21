import { Readable } from "node:stream";
import { EgressError, sendOutbound } from "@/server/egress";
import type { FieldErrors } from "@/server/errors";

export interface S3Bucket {
  bucket: string;
  region: string;
  prefix: string | null;
  endpointUrl: string | null;
  accelerated: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

interface SignedRequest {
  protocol: string;
  hostname: string;
  port?: number;
  method: string;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
}

function urlOf({ protocol, hostname, port, path, query = {} }: SignedRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? ""]).map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(each)}`),
  );
  return `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}${pairs.length > 0 ? `?${pairs.sort().join("&")}` : ""}`;
}

/** The SDK's requests leave by the one way out of the house. */
const throughEgress = {
  handle: async (request: SignedRequest) => {
    const { host: _host, "content-length": _length, ...headers } = request.headers;
    const answer = await sendOutbound({ url: urlOf(request), method: "GET", headers });
    return { response: { statusCode: answer.status, headers: { ...answer.headers }, body: Readable.from([Buffer.from(answer.body)]) } };
  },
};

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
export async function checkS3(target: S3Bucket): Promise<FieldErrors | null> {
  // Large, and needed only here.
  const { ListObjectsV2Command, S3Client } = await import("@aws-sdk/client-s3");
  const { endpointUrl, accelerated, region, accessKeyId, secretAccessKey } = target;
  const client = new S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpointUrl !== null && { endpoint: endpointUrl, forcePathStyle: true }),
    useAccelerateEndpoint: accelerated && endpointUrl === null,
    maxAttempts: 1,
    requestHandler: throughEgress,
  });
  try {
    await client.send(new ListObjectsV2Command({ Bucket: target.bucket, MaxKeys: 1, ...(target.prefix && { Prefix: target.prefix }) }));
    return null;
  } catch (error) {
    if (error instanceof EgressError) {
      return { [endpointUrl === null ? "s3_bucket_name" : "s3_endpoint_url"]: [`The bucket could not be reached: ${error.message}.`] };
    }
    const { name = "", $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode ?? 0;
    const [field, message] = refusals[name] ?? (status === 404 ? refusals.NoSuchBucket : status === 403 ? refusals.AccessDenied : undefined) ?? [
      "s3_bucket_name",
      status > 0 ? `The store refused the bucket (${status}).` : "The store did not answer as S3 does.",
    ];
    return { [field]: [message] };
  } finally {
    client.destroy();
  }
}
