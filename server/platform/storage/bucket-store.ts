import { pipeline, type Readable, Transform } from "node:stream";
import { buffer } from "node:stream/consumers";
import { invalid, ServiceError } from "@/server/platform/errors";
import { EgressError, toEgressError, isTransient } from "@/server/platform/http-client/http-client";
import {
  ObjectMissing,
  type ByteRange,
  type ObjectStore,
  type OpenObject,
  type StoredObject,
} from "@/server/platform/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/platform/storage/store";
import { toWebStream } from "@/server/platform/storage/web-stream";

/** The settings of a customer's bucket; those that a kind of store does not have are null or false. */
export interface BucketAddress {
  bucket: string;
  /** Prefix of all keys in the bucket. */
  prefix: string | null;
  region: string | null;
  /** For a store at another address than its kind's default. */
  endpointUrl: string | null;
  accelerated: boolean;
}

/** Maximum lifetime of a signed URL in seconds: the stores' own limit. */
export const maxSeconds = 604_800;

/** Maximum size in bytes of a response that is not an object; pages of listings are far smaller. */
export const maxBodyBytes = 16 * 1024 ** 2;

/** The content type of every object in its bucket; links to downloads override it by that of the file name. */
export const contentType = "application/octet-stream";

const bucketMessage = (bucket: string, reason: string): string =>
  `The bucket "${bucket}" could not be used: ${reason.replace(/\.$/, "")}.`;

/** 400 that names the bucket, for a problem that the user who configured it can fix. */
export const unreachable = (bucket: string, reason: string): ServiceError =>
  invalid("storage_config_uid", bucketMessage(bucket, reason));

/** 503 that names the bucket, for a transient problem of its store. */
const unavailable = (bucket: string, reason: string): ServiceError =>
  new ServiceError("unavailable", { detail: bucketMessage(bucket, reason), retryAfterSeconds: 5 });

/** The 400 or 503 for a request without a response. */
export const toServiceError = (bucket: string, error: EgressError): ServiceError =>
  (isTransient(error) ? unavailable : unreachable)(bucket, error.message);

/** The 400 or 503 for a request that the store refused. */
export const toRefusal = (bucket: string, reason: string, status: number): ServiceError =>
  (isTransientStatus(status) ? unavailable : unreachable)(bucket, `${reason} (${status})`);

/** Whether the same request may succeed soon. */
export const isTransientStatus = (status: number): boolean => status === 429 || status >= 500;

/**
 * Returns the stream limited to `bytes`, beyond which it fails: some responses of a store are read into memory, and the
 * store is not trusted.
 */
export function limitBytes(body: Readable, bytes: number): Readable {
  let left = bytes;
  const limit = new Transform({
    transform(chunk: Uint8Array, _encoding, next) {
      left -= chunk.length;
      if (left < 0) next(new EgressError("protocol", "it answered with more than was asked for"));
      else next(null, chunk);
    },
  });
  pipeline(body, limit, () => {});
  return limit;
}

/** A requested range begins beyond the end of the object. */
export class BeyondEnd extends Error {}

const nullBeyondEnd = (error: unknown): null => {
  if (error instanceof BeyondEnd) return null;
  throw error;
};

export const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof ObjectMissing)) throw error;
};

/** The name of a key's object in a bucket. */
export function nameInBucket(prefix: string | null, key: string): string {
  const below = prefix?.replace(/^\/+|\/+$/g, "") ?? "";
  return below === "" ? key : `${below}/${key}`;
}

/** Base of the stores in buckets. Clients upload and download at the bucket directly, with signed URLs. */
export abstract class BucketStore implements ObjectStore {
  constructor(private readonly place: { bucket: string; prefix: string | null }) {}

  /** The name of a key's object in the bucket. */
  objectName(key: string): string {
    return nameInBucket(this.place.prefix, key);
  }

  /** Reads an object. Rejects with an ObjectMissing, a BeyondEnd, or a ServiceError that names the bucket. */
  protected abstract bytes(key: string, range?: ByteRange): Promise<Readable>;

  async read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    if (range && range.end <= range.start) return new ReadableStream({ start: (controller) => controller.close() });
    return toWebStream(await this.bytes(key, range));
  }

  async readBytes(key: string, offset: number, length: number): Promise<Uint8Array> {
    if (length <= 0) return new Uint8Array();
    const body = await this.bytes(key, { start: offset, end: offset + length }).catch(nullBeyondEnd);
    if (body === null) return new Uint8Array();
    return buffer(limitBytes(body, length)).catch((error: unknown) => {
      throw this.toFailure(toEgressError(error));
    });
  }

  /** A bucket has nothing to open: each read is a request of its own. */
  open(key: string): Promise<OpenObject> {
    return Promise.resolve({
      read: (offset, length) => this.readBytes(key, offset, length),
      close: () => Promise.resolve(),
    });
  }

  /** The error for a request without a response. */
  protected toFailure(error: EgressError): ServiceError {
    return toServiceError(this.place.bucket, error);
  }

  /** The error for a request that the store refused. */
  protected toRefusal(reason: string, status: number): ServiceError {
    return toRefusal(this.place.bucket, reason, status);
  }

  abstract put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject>;
  abstract head(key: string): Promise<StoredObject | null>;
  abstract delete(key: string): Promise<void>;
  abstract deletePrefix(prefix: string): Promise<void>;
  abstract uploadUrl(target: UploadTarget): Promise<SignedUpload>;
  abstract downloadUrl(target: DownloadTarget): Promise<string>;
}

/** Yields the stream's bytes; throws before its end when there are more or fewer than declared. */
export async function* exactly(body: ReadableStream<Uint8Array>, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of body) {
    seen += chunk.length;
    if (seen > sizeBytes) break;
    yield chunk;
  }
  if (seen !== sizeBytes) throw new Error(`${sizeBytes} bytes were declared, ${seen > sizeBytes ? "more" : seen} came`);
}
