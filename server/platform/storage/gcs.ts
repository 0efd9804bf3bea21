import type { Readable } from "node:stream";
import pMap from "p-map";
import { z } from "zod";
import { EgressError, type OutboundStream } from "@/server/platform/http-client/http-client";
import {
  BeyondEnd,
  BucketStore,
  contentType,
  exactly,
  noneIsFine,
  partBytes,
} from "@/server/platform/storage/bucket-store";
import { toServiceError, isTransientStatus, toRefusal, unreachable } from "@/server/platform/storage/bucket-store";
import { attachment } from "@/server/platform/storage/file-name";
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
import { storeConcurrency } from "@/server/platform/storage/store";
import { ObjectMissing, type ByteRange, type StoredObject } from "@/server/platform/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/platform/storage/store";

/** A bucket of Google Cloud Storage, and who may use it. */
export interface GcsBucket {
  bucket: string;
  /** Names in the bucket begin with it. */
  prefix: string | null;
  account: ServiceAccount;
}

const Listing = z.object({
  items: z.array(z.object({ name: z.string() })).default([]),
  nextPageToken: z.string().optional(),
});
const JsonRefusal = z.object({ error: z.object({ message: z.string() }) });

/** A page of names; null for anything else, such as one that broke off. */
function readListing(body: string): z.output<typeof Listing> | null {
  try {
    return Listing.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

/** What a refusal says: the XML API has a code for it, the JSON API a sentence. */
function readReason(body: string): string {
  const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1];
  if (code !== undefined) return code;
  try {
    return JsonRefusal.parse(JSON.parse(body)).error.message.replace(/\.$/, "");
  } catch {
    return "refused";
  }
}

/** How many bytes a resumable upload has; null when the answer does not tell. */
function readStoredBytes({ headers: { range } }: OutboundStream): number | null {
  const last = /^bytes=0-(\d+)$/.exec(range ?? "")?.[1];
  return last === undefined ? null : Number(last) + 1;
}

/**
 * The object store in a customer's bucket of Google Cloud Storage. Objects are asked for by the XML API, like clients
 * do with signed addresses: the JSON API gives the same object another entity tag, and clients confirm by the one they
 * were told. What that API is better at, listings and uploads in parts, is done by the JSON API.
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

  /** Runs what speaks to Google; what it refuses or does not answer is told in the bucket's name. */
  private async told<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof EgressError) throw toServiceError(this.target.bucket, error);
      if (error instanceof KeyRefused) throw unreachable(this.target.bucket, error.message);
      throw error;
    }
  }

  /** One answer that is a success. Rejects with an ObjectMissing, a BeyondEnd, or what is told of the bucket. */
  private async ask(key: string, request: GcsRequest): Promise<OutboundStream> {
    const response = await this.told(() => this.client.send(request));
    if (response.status < 300) return response;
    const body = await readText(response);
    // A HEAD is answered without a word.
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
      // The last part, with which the object comes to be, is sent once the stream is known to end there.
      for await (const part of inParts(exactly(body, sizeBytes))) {
        await this.sendPart(session, { bytes: part, start, total: sizeBytes });
        start += part.length;
      }
    } catch (error) {
      // Answered 499 where it worked. What cannot be given up now is forgotten after a week.
      await this.client.repeated({ method: "DELETE", url: session }).then(readText, () => {});
      throw error;
    }
    const stored = await this.head(key);
    if (!stored) throw new ObjectMissing(key);
    return stored;
  }

  /** The address that takes the parts of an object; whoever knows it may send them. */
  private async startUpload(key: string, sizeBytes: number): Promise<string> {
    const url = objectsUrl(this.target.bucket, { uploadType: "resumable", name: this.objectName(key) }, "/upload");
    const headers = { "x-upload-content-type": contentType, "x-upload-content-length": String(sizeBytes) };
    const response = await this.ask(key, { method: "POST", url, headers });
    await readText(response);
    const { location } = response.headers;
    if (location === undefined) throw unreachable(this.target.bucket, unexpectedResponse);
    return location;
  }

  /**
   * Sends bytes `start` and following of an object of `total` bytes. The store may keep fewer than it was sent, and a
   * connection may break: it is asked then how many it has, and given the rest, as long as that gets on.
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
      let response = await this.told(() => this.client.once(rest).catch(noneWhereBroken));
      if (
        response === null ||
        isTransientStatus(response.status) ||
        (response.status === 308 && readStoredBytes(response) === null)
      ) {
        if (response) await readText(response);
        await this.client.pause(failures + 1);
        response = await this.told(() => this.client.repeated(request("*")));
      }
      const body = await readText(response);
      if (response.status < 300 && end === total) return;
      if (response.status !== 308) throw toRefusal(this.target.bucket, readReason(body), response.status);
      const kept = readStoredBytes(response) ?? 0;
      if (kept < start || kept > end) throw unreachable(this.target.bucket, "it lost a part that it had taken");
      if (kept === end && end < total) return;
      failures = kept > at ? 0 : failures + 1;
      if (failures >= this.client.attempts) throw unreachable(this.target.bucket, "it takes no more bytes");
      at = kept;
    }
  }

  protected async bytes(key: string, range?: ByteRange): Promise<Readable> {
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
    return (await this.ask(key, { method: "GET", url: this.at(this.objectName(key)), ...(headers && { headers }) }))
      .body;
  }

  async head(key: string): Promise<StoredObject | null> {
    try {
      const response = await this.ask(key, { method: "HEAD", url: this.at(this.objectName(key)) });
      await readText(response);
      const { etag = "", "last-modified": modified, "content-length": length } = response.headers;
      return {
        sizeBytes: Number(response.headers["x-goog-stored-content-length"] ?? length ?? 0),
        etag,
        modifiedAt: new Date(modified ?? 0),
      };
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      // That the bucket itself is not there is said only to who asks for bytes.
      await this.readBytes(key, 0, 1).catch(noneIsFine);
      return null;
    }
  }

  async delete(key: string): Promise<void> {
    await this.deleteNamed(this.objectName(key));
  }

  private async deleteNamed(name: string): Promise<void> {
    await this.ask(name, { method: "DELETE", url: this.at(name) }).then(readText, noneIsFine);
  }

  /** Unfinished uploads cannot be listed and hold nothing that anybody sees; the store forgets them after a week. */
  async deletePrefix(prefix: string): Promise<void> {
    const query = { prefix: this.objectName(prefix), fields: "items(name),nextPageToken" };
    let page: string | undefined;
    do {
      const url = objectsUrl(this.target.bucket, { ...query, ...(page !== undefined && { pageToken: page }) });
      const listing = readListing(await readText(await this.ask(prefix, { method: "GET", url })));
      if (!listing) throw unreachable(this.target.bucket, unexpectedResponse);
      await pMap(listing.items, ({ name }) => this.deleteNamed(name), { concurrency: storeConcurrency });
      page = listing.nextPageToken;
    } while (page !== undefined);
  }

  async uploadUrl({ key, sizeBytes, ttlSeconds }: UploadTarget): Promise<SignedUpload> {
    const object = { bucket: this.target.bucket, name: this.objectName(key) };
    // The store itself refuses a body of another size.
    const headers = { "content-type": contentType, "x-goog-content-length-range": `${sizeBytes},${sizeBytes}` };
    return { url: await this.told(() => this.client.signedUrl("PUT", object, ttlSeconds, { headers })), headers };
  }

  async downloadUrl({ key, fileName, ttlSeconds }: DownloadTarget): Promise<string> {
    const object = { bucket: this.target.bucket, name: this.objectName(key) };
    const query = { "response-content-disposition": attachment(fileName), "response-content-type": contentType };
    return this.told(() => this.client.signedUrl("GET", object, ttlSeconds, { query }));
  }
}

const noneWhereBroken = (error: unknown): null => {
  if (isBroken(error)) return null;
  throw error;
};

/**
 * The same bytes in parts of `partBytes`, the last of which may be shorter and comes once the source has ended; without
 * bytes, one without.
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
