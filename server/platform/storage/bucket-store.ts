import { pipeline, Readable, Transform } from "node:stream";
import { buffer } from "node:stream/consumers";
import { invalid, ServiceError } from "@/server/platform/errors";
import { EgressError, toEgressError, isTransient } from "@/server/platform/http-client/http-client";
import { ObjectMissing, type ByteRange, type ObjectStore, type StoredObject } from "@/server/platform/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/platform/storage/store";

/** A customer's bucket as it is kept; what a kind of store does not know is null or false. */
export interface BucketAddress {
  bucket: string;
  /** Keys in the bucket begin with it. */
  prefix: string | null;
  region: string | null;
  /** Of a store at another address than its kind's own. */
  endpointUrl: string | null;
  accelerated: boolean;
}

/** In how many bytes a stream goes to a bucket at a time: so much of it is held, and so much can be sent again. */
export const partBytes = 8 * 1024 ** 2;

/** For how many seconds a signed address may be good: the stores' own limit. */
export const maxSeconds = 604_800;

/** How many bytes an answer that is no object may have; the longest page of a listing is far shorter. */
export const maxBodyBytes = 16 * 1024 ** 2;

/** As what every object is stored and given: nothing that a browser would show. */
export const contentType = "application/octet-stream";

const bucketMessage = (bucket: string, why: string): string =>
  `The bucket "${bucket}" could not be used: ${why.replace(/\.$/, "")}.`;

/** 400 naming the bucket: whoever chose it can mend it. */
export const unreachable = (bucket: string, why: string): ServiceError =>
  invalid("storage_config_uid", bucketMessage(bucket, why));

/** 503 naming the bucket: its store is away or busy, and waiting mends it. */
const unavailable = (bucket: string, why: string): ServiceError =>
  new ServiceError("unavailable", { detail: bucketMessage(bucket, why), retryAfterSeconds: 5 });

/** The one or the other for a request that had no answer. */
export const toServiceError = (bucket: string, error: EgressError): ServiceError =>
  (isTransient(error) ? unavailable : unreachable)(bucket, error.message);

/** The same for one that had. */
export const toRefusal = (bucket: string, reason: string, status: number): ServiceError =>
  (isTransientStatus(status) ? unavailable : unreachable)(bucket, `${reason} (${status})`);

/** Whether the same request may be answered otherwise in a moment. */
export const isTransientStatus = (status: number): boolean => status === 429 || status >= 500;

/**
 * The same stream, which fails beyond so many bytes: what a bucket's store answers is held in memory in places, and who
 * runs it need not be a friend.
 */
export function atMost(body: Readable, bytes: number): Readable {
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

/** A range begins where the object has ended. */
export class BeyondEnd extends Error {}

const noneBeyondEnd = (error: unknown): null => {
  if (error instanceof BeyondEnd) return null;
  throw error;
};

export const noneIsFine = (error: unknown): void => {
  if (!(error instanceof ObjectMissing)) throw error;
};

/** What customers' buckets have in common. Clients bring and fetch bytes at the bucket itself, by signed addresses. */
export abstract class BucketStore implements ObjectStore {
  constructor(private readonly place: { bucket: string; prefix: string | null }) {}

  /** What a key is called in the bucket. */
  objectName(key: string): string {
    const prefix = this.place.prefix?.replace(/^\/+|\/+$/g, "") ?? "";
    return prefix === "" ? key : `${prefix}/${key}`;
  }

  /** Bytes that are there. Rejects with an ObjectMissing, a BeyondEnd, or what is told of the bucket. */
  protected abstract bytes(key: string, range?: ByteRange): Promise<Readable>;

  async read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    if (range && range.end <= range.start) return new ReadableStream({ start: (controller) => controller.close() });
    return Readable.toWeb(await this.bytes(key, range)) as ReadableStream<Uint8Array>;
  }

  async readBytes(key: string, offset: number, length: number): Promise<Uint8Array> {
    if (length <= 0) return new Uint8Array();
    const body = await this.bytes(key, { start: offset, end: offset + length }).catch(noneBeyondEnd);
    if (body === null) return new Uint8Array();
    return buffer(atMost(body, length)).catch((error: unknown) => {
      throw toServiceError(this.place.bucket, toEgressError(error));
    });
  }

  abstract put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject>;
  abstract head(key: string): Promise<StoredObject | null>;
  abstract delete(key: string): Promise<void>;
  abstract deletePrefix(prefix: string): Promise<void>;
  abstract uploadUrl(target: UploadTarget): Promise<SignedUpload>;
  abstract downloadUrl(target: DownloadTarget): Promise<string>;
}

/** The stream's bytes, failing before its end is told when there are more or fewer than were declared. */
export async function* exactly(body: ReadableStream<Uint8Array>, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    seen += chunk.length;
    if (seen > sizeBytes) break;
    yield chunk;
  }
  if (seen !== sizeBytes) throw new Error(`${sizeBytes} bytes were declared, ${seen > sizeBytes ? "more" : seen} came`);
}
