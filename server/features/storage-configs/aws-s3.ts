import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { StorageCheckName } from "@/domain/storage-configs/checks";
import {
  type BucketFault,
  type BucketProbe,
  probeBucket,
  unreachedMessage,
} from "@/server/features/storage-configs/bucket-probe";
import type { StorageKind } from "@/server/features/storage-configs/kind";
import type { StorageCheck, StorageConfigResource } from "@/server/features/storage-configs/resource";
import { invalid } from "@/server/platform/errors";
import { EgressError, checkUrl } from "@/server/platform/http-client/http-client";
import { contentType, limitBytes, maxBodyBytes } from "@/server/platform/storage/bucket-store";
import { type S3Bucket, s3Bucket, s3Client } from "@/server/platform/storage/s3-client";

/** The field and message for each error code of S3. */
const refusals: Readonly<Record<string, readonly [field: string, message: string]>> = {
  NoSuchBucket: ["s3_bucket_name", "There is no such bucket."],
  InvalidBucketName: ["s3_bucket_name", "Enter a valid bucket name."],
  InvalidAccessKeyId: ["s3_access_key_id", "This access key does not exist."],
  SignatureDoesNotMatch: ["s3_secret_access_key", "This is not the secret of the access key."],
  PermanentRedirect: ["s3_bucket_region", "The bucket is in another region."],
  AuthorizationHeaderMalformed: ["s3_bucket_region", "The bucket is in another region."],
  IllegalLocationConstraintException: ["s3_bucket_region", "The bucket is in another region."],
};

/** What credentials without a permission may not do, and the permission for it. */
const lacking: Readonly<Record<StorageCheckName, readonly [what: string, permission: string]>> = {
  reach: ["use the bucket", "s3:ListBucket"],
  list: ["list the bucket", "s3:ListBucket"],
  write: ["write objects", "s3:PutObject"],
  read: ["read objects", "s3:GetObject"],
  delete: ["delete objects", "s3:DeleteObject"],
  multipart: ["upload in parts", "s3:PutObject"],
};

interface Refusal {
  name?: string;
  /** The region of the bucket, in refusals of a wrong one. */
  Region?: string;
  $metadata?: { httpStatusCode?: number };
}

/** A refusal of a step that needs several permissions. */
class Unpermitted extends Error {
  constructor(
    readonly permission: string,
    readonly refusal: unknown,
  ) {
    super(permission);
  }
}

const needing = <T>(permission: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw new Unpermitted(permission, error);
  });

function explainS3(caught: unknown, step: StorageCheckName, endpointUrl: string | null): BucketFault {
  const [permission, error] = caught instanceof Unpermitted ? [caught.permission, caught.refusal] : [null, caught];
  if (error instanceof EgressError) {
    const field = endpointUrl === null ? "s3_bucket_name" : "s3_endpoint_url";
    return { at: "reach", field, message: unreachedMessage(error) };
  }
  const { name = "", Region: region, $metadata } = error as Refusal;
  const status = $metadata?.httpStatusCode ?? 0;
  const isDenied = name === "AccessDenied" || (refusals[name] === undefined && status === 403);
  if (isDenied) {
    const [what, needed] = lacking[step];
    const message = `This access key may not ${what}.`;
    return { at: "step", field: "s3_access_key_id", message, permission: permission ?? needed };
  }
  const known = refusals[name] ?? (status === 404 && step === "list" ? refusals.NoSuchBucket : undefined);
  if (known) {
    const [field, message] = known;
    const isNamed = field === "s3_bucket_region" && region !== undefined && /^[a-z0-9-]{1,50}$/.test(region);
    return { at: "reach", field, message: isNamed ? `The bucket is in the region ${region}.` : message };
  }
  if (status === 0) return { at: "reach", field: "s3_bucket_name", message: "The store did not answer as S3 does." };
  const reason =
    step === "list"
      ? `The store refused the bucket (${status}).`
      : `The store refused (${status} ${name.slice(0, 100)}).`;
  return { at: step === "list" ? "reach" : "step", field: "s3_bucket_name", message: reason };
}

async function checkS3(target: S3Bucket): Promise<StorageCheck[]> {
  const s3 = await import("@aws-sdk/client-s3");
  const client = await s3Client(target, 1);
  const { bucket: Bucket, prefix, endpointUrl } = target;
  const below = prefix ? { Prefix: prefix } : {};
  const probe: BucketProbe = {
    list: () => client.send(new s3.ListObjectsV2Command({ Bucket, MaxKeys: 1, ...below })),
    write: (Key, Body) => client.send(new s3.PutObjectCommand({ Bucket, Key, Body, ContentType: contentType })),
    read: async (Key) => {
      try {
        const { Body } = await client.send(new s3.GetObjectCommand({ Bucket, Key }));
        return Body instanceof Readable ? await buffer(limitBytes(Body, maxBodyBytes)) : null;
      } catch (error) {
        if ((error as Refusal).$metadata?.httpStatusCode === 404) return null;
        throw error;
      }
    },
    delete: (Key) => client.send(new s3.DeleteObjectCommand({ Bucket, Key })),
    multipart: async (Key, Body) => {
      const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key }));
      const abort = () => client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      try {
        await client.send(new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body }));
        await needing(
          "s3:ListBucketMultipartUploads",
          client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: Key })),
        );
      } catch (error) {
        await abort().catch(() => {});
        throw error;
      }
      await needing("s3:AbortMultipartUpload", abort());
    },
    explain: (error, step) => explainS3(error, step, endpointUrl),
  };
  try {
    return await probeBucket(probe, prefix, "s3_bucket_name");
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
  readCredentials: ({ s3_access_key_id: accessKeyId, s3_secret_access_key: secretAccessKey }) =>
    accessKeyId === undefined && secretAccessKey === undefined
      ? null
      : {
          ...(accessKeyId !== undefined && { accessKeyId }),
          ...(secretAccessKey !== undefined && { secretAccessKey }),
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
