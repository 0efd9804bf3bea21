import type { Readable } from "node:stream";
import pMap from "p-map";
import { z } from "zod";
import { EgressError, type OutboundStream } from "@/server/platform/http-client/http-client";
import { BeyondEnd, BucketStore, contentType, exactly, ignoreMissing } from "@/server/platform/storage/bucket-store";
import { toServiceError, isTransientStatus, toRefusal, unreachable } from "@/server/platform/storage/bucket-store";
import { attachment, getMediaType } from "@/server/platform/storage/file-name";
import {
  GcsClient,
  isBroken,
  KeyRefused,
  objectsUrl,
  objectUrl,
  unexpectedResponse,
  readText,
} from "@/server/platform/storage/gcs-client";
import type { GcsRequest, ServiceAccount } from "@/server/platform/storage/gcs-client";
import { partBytes } from "@/server/platform/storage/part-size";
import { storeConcurrency } from "@/server/platform/storage/store";
import { ObjectMissing, type ByteRange, type StoredObject } from "@/server/platform/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/platform/storage/store";

/** A bucket of Google Cloud Storage and the service account that may use it. */
export interface GcsBucket {
  bucket: string;
  /** Prefix of all names in the bucket. */
  prefix: string | null;
  account: ServiceAccount;
}

const Listing = z.object({
  items: z.array(z.object({ name: z.string() })).default([]),
  nextPageToken: z.string().optional(),
});
const JsonRefusal = z.object({ error: z.object({ message: z.string() }) });

/** Parses a page of names; null for anything else, such as an incomplete one. */
function readListing(body: string): z.output<typeof Listing> | null {
  try {
    return Listing.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

/** The reason of a refusal: a code in the XML API, a sentence in the JSON API. */
function readReason(body: string): string {
  const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1];
  if (code !== undefined) return code;
  try {
    return JsonRefusal.parse(JSON.parse(body)).error.message.replace(/\.$/, "");
  } catch {
    return "refused";
  }
}

/** The number of bytes stored of a resumable upload; null when the response does not contain it. */
function readStoredBytes({ headers: { range } }: OutboundStream): number | null {
  const last = /^bytes=0-(\d+)$/.exec(range ?? "")?.[1];
  return last === undefined ? null : Number(last) + 1;
}

/**
 * The object store in a customer's bucket of Google Cloud Storage. Objects are requested through the XML API, like
 * those of signed URLs: the JSON API has other entity tags, and clients confirm uploads with the tag they received.
 * Listings and uploads in parts use the JSON API.
 */
export class GcsStore extends BucketStore {
  private readonly client: GcsClient;

  constructor(private readonly target: GcsBucket) {
    super(target);
    this.client = new GcsClient(target.account);
  }

  private at(name: string): string {
    return objectUrl(this.target.bucket, name);
  }

  /** Runs requests to Google and turns their errors into ServiceErrors that name the bucket. */
  private async withServiceErrors<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof EgressError) throw toServiceError(this.target.bucket, error);
      if (error instanceof KeyRefused) throw unreachable(this.target.bucket, error.message);
      throw error;
    }
  }

  /** Resolves with a success. Rejects with an ObjectMissing, a BeyondEnd, or a ServiceError that names the bucket. */
  private async send(key: string, request: GcsRequest): Promise<OutboundStream> {
    const response = await this.withServiceErrors(() => this.client.send(request));
    if (response.status < 300) return response;
    const body = await readText(response);
    // The response to a HEAD has no body with a reason.
    if (response.status === 404 && (request.method === "HEAD" || readReason(body) === "NoSuchKey"))
      throw new ObjectMissing(key);
    if (response.status === 416) throw new BeyondEnd();
    throw toRefusal(this.target.bucket, readReason(body), response.status);
  }

  async put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject> {
    const session = await this.startUpload(key, sizeBytes).catch(async (error: unknown) => {
      await body.cancel(error);
      throw error;
    });
    try {
      let start = 0;
      // The last part, which completes the object, is only sent once the stream has ended with the declared size.
      for await (const part of inParts(exactly(body, sizeBytes))) {
        await this.sendPart(session, { bytes: part, start, total: sizeBytes });
        start += part.length;
      }
    } catch (error) {
      // A success has status 499. An upload that cannot be cancelled now expires after a week.
      await this.client.repeated({ method: "DELETE", url: session }).then(readText, () => {});
      throw error;
    }
    const stored = await this.head(key);
    if (!stored) throw new ObjectMissing(key);
    return stored;
  }

  /** Starts a resumable upload. Resolves to its URL, which accepts parts without further authorization. */
  private async startUpload(key: string, sizeBytes: number): Promise<string> {
    const url = objectsUrl(this.target.bucket, { uploadType: "resumable", name: this.objectName(key) }, "/upload");
    const headers = { "x-upload-content-type": contentType, "x-upload-content-length": String(sizeBytes) };
    const response = await this.send(key, { method: "POST", url, headers });
    await readText(response);
    const { location } = response.headers;
    if (location === undefined) throw unreachable(this.target.bucket, unexpectedResponse);
    return location;
  }

  /**
   * Sends the bytes from `start` of an object of `total` bytes. When the store has stored fewer than were sent, or the
   * connection breaks, requests the number of stored bytes and sends the rest, as long as there is progress.
   */
  private async sendPart(
    session: string,
    { bytes, start, total }: { bytes: Uint8Array; start: number; total: number },
  ): Promise<void> {
    const end = start + bytes.length;
    const request = (range: string, body?: Uint8Array): GcsRequest => ({
      method: "PUT",
      url: session,
      headers: { "content-range": `bytes ${range}/${total}` },
      ...(body && { body }),
    });
    let at = start;
    for (let failures = 0; ;) {
      const rest = at < end ? request(`${at}-${end - 1}`, bytes.subarray(at - start)) : request("*");
      let response = await this.withServiceErrors(() => this.client.once(rest).catch(nullIfBroken));
      if (
        response === null ||
        isTransientStatus(response.status) ||
        (response.status === 308 && readStoredBytes(response) === null)
      ) {
        if (response) await readText(response);
        await this.client.pause(failures + 1);
        response = await this.withServiceErrors(() => this.client.repeated(request("*")));
      }
      const body = await readText(response);
      if (response.status < 300 && end === total) return;
      if (response.status !== 308) throw toRefusal(this.target.bucket, readReason(body), response.status);
      const stored = readStoredBytes(response) ?? 0;
      if (stored < start || stored > end) throw unreachable(this.target.bucket, "it lost a part that it had taken");
      if (stored === end && end < total) return;
      failures = stored > at ? 0 : failures + 1;
      if (failures >= this.client.attempts) throw unreachable(this.target.bucket, "it takes no more bytes");
      at = stored;
    }
  }

  protected async bytes(key: string, range?: ByteRange): Promise<Readable> {
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
    return (await this.send(key, { method: "GET", url: this.at(this.objectName(key)), ...(headers && { headers }) }))
      .body;
  }

  async head(key: string): Promise<StoredObject | null> {
    try {
      const response = await this.send(key, { method: "HEAD", url: this.at(this.objectName(key)) });
      await readText(response);
      const { etag = "", "last-modified": modified, "content-length": length } = response.headers;
      return {
        sizeBytes: Number(response.headers["x-goog-stored-content-length"] ?? length ?? 0),
        etag,
        modifiedAt: new Date(modified ?? 0),
      };
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      // Only a read of bytes distinguishes a missing bucket from a missing object.
      await this.readBytes(key, 0, 1).catch(ignoreMissing);
      return null;
    }
  }

  async delete(key: string): Promise<void> {
    await this.deleteNamed(this.objectName(key));
  }

  private async deleteNamed(name: string): Promise<void> {
    await this.send(name, { method: "DELETE", url: this.at(name) }).then(readText, ignoreMissing);
  }

  /** Unfinished uploads cannot be listed and are not visible; the store drops them after a week. */
  async deletePrefix(prefix: string): Promise<void> {
    const query = { prefix: this.objectName(prefix), fields: "items(name),nextPageToken" };
    let page: string | undefined;
    do {
      const url = objectsUrl(this.target.bucket, { ...query, ...(page !== undefined && { pageToken: page }) });
      const listing = readListing(await readText(await this.send(prefix, { method: "GET", url })));
      if (!listing) throw unreachable(this.target.bucket, unexpectedResponse);
      await pMap(listing.items, ({ name }) => this.deleteNamed(name), { concurrency: storeConcurrency });
      page = listing.nextPageToken;
    } while (page !== undefined);
  }

  async uploadUrl({ key, sizeBytes, ttlSeconds }: UploadTarget): Promise<SignedUpload> {
    const object = { bucket: this.target.bucket, name: this.objectName(key) };
    // The store itself refuses a body of another size.
    const headers = { "content-type": contentType, "x-goog-content-length-range": `${sizeBytes},${sizeBytes}` };
    const url = await this.withServiceErrors(() => this.client.signedUrl("PUT", object, ttlSeconds, { headers }));
    return { url, headers };
  }

  async downloadUrl({ key, fileName, ttlSeconds }: DownloadTarget): Promise<string> {
    const object = { bucket: this.target.bucket, name: this.objectName(key) };
    const query = {
      "response-content-disposition": attachment(fileName),
      "response-content-type": getMediaType(fileName),
    };
    return this.withServiceErrors(() => this.client.signedUrl("GET", object, ttlSeconds, { query }));
  }
}

const nullIfBroken = (error: unknown): null => {
  if (isBroken(error)) return null;
  throw error;
};

/**
 * Splits bytes into parts of `partBytes`. The last one may be shorter and is yielded once the source has ended; without
 * bytes there is one empty part.
 */
async function* inParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length;) {
      if (size === partBytes) {
        yield Buffer.concat(held);
        held = [];
        size = 0;
      }
      const piece = chunk.subarray(at, at + partBytes - size);
      held.push(piece);
      size += piece.length;
      at += piece.length;
    }
  }
  yield Buffer.concat(held);
}
