import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type * as S3 from "@aws-sdk/client-s3";
import { ServiceError } from "@/server/platform/errors";
import type { EgressError } from "@/server/platform/http-client/http-client";
import { logFor } from "@/server/platform/log";
import { contentType } from "@/server/platform/storage/bucket-store";
import { isKey } from "@/server/platform/storage/keys";
import { downloadLink, uploadLink } from "@/server/platform/storage/links";
import type { Admit, Listed, OwnStore, Part, Received } from "@/server/platform/storage/own-store";
import { getPartSize } from "@/server/platform/storage/part-size";
import { PartialUploads, UploadInterrupted, UploadRefused } from "@/server/platform/storage/partial-uploads";
import { s3Client, type S3Bucket } from "@/server/platform/storage/s3-client";
import { S3PartStore, type UploadedPart } from "@/server/platform/storage/s3-parts";
import { ObjectMissing, type DownloadTarget, type SignedUpload } from "@/server/platform/storage/store";
import type { UploadTarget } from "@/server/platform/storage/store";

/** S3's limit of a single PUT. */
const maxPutBytes = 5 * 1024 ** 3;
/** Not a storage key, so it is no object of anybody. */
const markName = "installation.json";
const tails = "partial/";

/** The received bytes of an unfinished upload: complete parts in the bucket, and what follows them. */
interface Progress {
  /** Null until the first part is complete. */
  uploadId: string | null;
  parts: UploadedPart[];
  tail: Buffer[];
  tailBytes: number;
}

const fresh = (): Progress => ({ uploadId: null, parts: [], tail: [], tailBytes: 0 });
const inParts = ({ parts }: Progress): number => parts.reduce((sum, { size }) => sum + size, 0);
const received = (progress: Progress): number => inParts(progress) + progress.tailBytes;

export interface OwnBucket extends S3Bucket {
  /** The address for signed URLs, where clients reach the bucket by another one. */
  publicEndpointUrl: string | null;
}

/**
 * The installation's own store in a bucket. Programs upload and download there with signed URLs; browsers, resumed
 * uploads and files above 5 GiB go through our own server, as parts of a multipart upload. Bytes after the last complete
 * part are retained in a small object of their own, so that an upload can be resumed at any byte.
 */
export class OwnS3Store extends S3PartStore implements OwnStore {
  private readonly writers = new PartialUploads();
  private publicClient: Promise<S3.S3Client> | null = null;

  constructor(private readonly own: OwnBucket) {
    super(own);
  }

  get location(): string {
    return `s3://${[this.own.bucket, ...(this.own.prefix ? [this.own.prefix] : [])].join("/")}`;
  }

  protected override toFailure(error: EgressError): ServiceError {
    return this.toUnavailable(error.message);
  }

  protected override toRefusal(reason: string, status: number): ServiceError {
    return this.toUnavailable(`${reason} (${status})`);
  }

  /** Whatever its cause, only the operator can repair it. */
  private toUnavailable(reason: string): ServiceError {
    logFor("files").warn({ store: this.location, reason }, "the object store could not be used");
    return new ServiceError("unavailable", { detail: "The object store cannot be used now.", retryAfterSeconds: 5 });
  }

  protected override signer(): Promise<S3.S3Client> {
    const { publicEndpointUrl } = this.own;
    if (publicEndpointUrl === null) return super.signer();
    return (this.publicClient ??= s3Client({ ...this.own, endpointUrl: publicEndpointUrl }));
  }

  override async uploadUrl(target: UploadTarget): Promise<SignedUpload> {
    if (target.direct && target.sizeBytes <= maxPutBytes) return super.uploadUrl(target);
    return { url: uploadLink(target), headers: { "Content-Type": contentType } };
  }

  /** People download through our own server, which notes it in the audit log. */
  override async downloadUrl(target: DownloadTarget): Promise<string> {
    const isProgram = target.by !== null && target.by.type !== "user";
    return isProgram ? super.downloadUrl(target) : downloadLink(target);
  }

  receive(key: string, part: Part, admit: Admit): Promise<Received> {
    const work = async (signal: AbortSignal): Promise<Received> => {
      const progress = part.start === 0 ? await this.begin(key) : await this.resume(key, part);
      try {
        await this.append(key, progress, part, signal);
      } catch (error) {
        const tooLong = error instanceof UploadRefused && error.reason === "long";
        await (tooLong ? this.drop(key, progress) : this.saveTail(key, progress));
        throw error;
      }
      if (received(progress) < part.sizeBytes) {
        await this.saveTail(key, progress);
        return { received: received(progress), etag: null };
      }
      return this.finish(key, progress, admit);
    };
    return this.writers.exclusive(key, work, part.arrivedAt);
  }

  /** Starts from the first byte. Of earlier uploads only the newest is retained, which may still be running. */
  private async begin(key: string): Promise<Progress> {
    const uploads = await this.listUploads(key);
    for (const id of uploads.slice(0, -1)) await this.abortUpload(key, id);
    return fresh();
  }

  /** The received bytes before `start`. Throws an UploadRefused of `gap` when there are not that many. */
  private async resume(key: string, { start, sizeBytes }: Part): Promise<Progress> {
    const progress = await this.load(key, sizeBytes);
    if (start > received(progress)) throw new UploadRefused("gap", received(progress));
    const offset = start - inParts(progress);
    if (offset >= 0) {
      progress.tail = [Buffer.concat(progress.tail).subarray(0, offset)];
      progress.tailBytes = offset;
      return progress;
    }
    const step = getPartSize(sizeBytes);
    // Bytes inside a part cannot be read back before the upload is complete.
    if (start % step !== 0) throw new UploadRefused("gap", start - (start % step));
    return { ...progress, parts: progress.parts.slice(0, start / step), tail: [], tailBytes: 0 };
  }

  private async append(key: string, progress: Progress, part: Part, signal: AbortSignal): Promise<void> {
    const step = getPartSize(part.sizeBytes);
    const reader = part.body.getReader();
    const stop = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", stop);
    try {
      if (signal.aborted) stop();
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw new UploadInterrupted(error);
        });
        if (signal.aborted) throw new UploadRefused("superseded", received(progress));
        if (done) break;
        if (received(progress) + value.length > part.end) throw new UploadRefused("long", 0);
        progress.tail.push(Buffer.from(value));
        progress.tailBytes += value.length;
        // An object of one part is stored by a single request once it is complete.
        while (progress.tailBytes >= step && part.sizeBytes > step) await this.sendPart(key, progress, step);
      }
      if (progress.uploadId !== null && progress.tailBytes > 0 && received(progress) === part.sizeBytes)
        await this.sendPart(key, progress, progress.tailBytes);
    } catch (error) {
      await reader.cancel(error).catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  private async sendPart(key: string, progress: Progress, size: number): Promise<void> {
    const bytes = Buffer.concat(progress.tail);
    progress.uploadId ??= await this.createUpload(key);
    const number = progress.parts.length + 1;
    progress.parts.push(await this.uploadPart(key, progress.uploadId, number, bytes.subarray(0, size)));
    progress.tail = [bytes.subarray(size)];
    progress.tailBytes = bytes.length - size;
  }

  /** Publishes a complete upload, unless it is refused. */
  private async finish(key: string, progress: Progress, admit: Admit): Promise<Received> {
    const state: { etag: string | null } = { etag: null };
    await admit(async () => {
      state.etag = await this.publish(key, progress);
    });
    if (state.etag === null) await this.drop(key, progress);
    else await this.deleteTails(key);
    return { received: received(progress), etag: state.etag };
  }

  private publish(key: string, { uploadId, parts, tail }: Progress): Promise<string> {
    return uploadId === null ? this.putBytes(key, Buffer.concat(tail)) : this.completeUpload(key, uploadId, parts);
  }

  async receivedBytes(key: string, sizeBytes: number): Promise<number> {
    return received(await this.load(key, sizeBytes));
  }

  async discard(key: string): Promise<void> {
    const uploads = await this.listUploads(key);
    for (const id of uploads) await this.abortUpload(key, id);
    await this.deleteTails(key);
  }

  /** The state of the newest unfinished upload. */
  private async load(key: string, sizeBytes: number): Promise<Progress> {
    const progress = fresh();
    const newest = (await this.listUploads(key)).at(-1);
    if (newest !== undefined) {
      progress.uploadId = newest;
      progress.parts = await this.listParts(key, newest, sizeBytes);
    }
    const tail = await this.read(this.tailKey(key, progress)).catch((error: unknown) => {
      if (error instanceof ObjectMissing) return null;
      throw error;
    });
    if (tail) {
      progress.tail = [await buffer(tail)];
      progress.tailBytes = progress.tail[0]?.length ?? 0;
    }
    return progress;
  }

  private async drop(key: string, { uploadId }: Progress): Promise<void> {
    if (uploadId !== null) await this.abortUpload(key, uploadId);
    await this.deleteTails(key);
  }

  /** The key of the bytes that follow the parts of this upload. */
  private tailKey(key: string, progress: Progress): string {
    const upload = createHash("sha256").update(`${progress.uploadId}`).digest("hex").slice(0, 16);
    return `${tails}${key}/${upload}-${inParts(progress)}`;
  }

  private async saveTail(key: string, progress: Progress): Promise<void> {
    if (progress.tailBytes === 0) return;
    await this.putBytes(this.tailKey(key, progress), Buffer.concat(progress.tail));
  }

  private async deleteTails(key: string): Promise<void> {
    for await (const tail of this.listObjects(`${tails}${key}/`)) await this.delete(tail.key);
  }

  override async deletePrefix(prefix: string): Promise<void> {
    await super.deletePrefix(prefix);
    await super.deletePrefix(`${tails}${prefix}`);
  }

  async *list(): AsyncGenerator<Listed> {
    for await (const { key } of this.listObjects("")) if (isKey(key) && !key.startsWith(tails)) yield { key };
  }

  async *listUnfinished(before: Date): AsyncGenerator<Listed> {
    for await (const { key, at } of this.listObjects(tails))
      if (at < before) yield { key: key.slice(tails.length, key.lastIndexOf("/")) };
    // What others upload into the same bucket, backups too, has no name of Muster's.
    for await (const { key, at } of this.listAllUploads()) if (at < before && isKey(key)) yield { key };
  }

  async readMark(): Promise<string | null> {
    try {
      return (await buffer(await this.read(markName))).toString("utf8");
    } catch (error) {
      if (error instanceof ObjectMissing) return null;
      throw error;
    }
  }

  async writeMark(text: string): Promise<void> {
    await this.putBytes(markName, Buffer.from(text));
  }
}
