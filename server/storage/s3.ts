import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type * as S3 from "@aws-sdk/client-s3";
import { EgressError } from "@/server/egress";
import { ServiceError } from "@/server/errors";
import { severalAtOnce } from "@/server/several-at-once";
import { attachment } from "@/server/storage/file-name";
import { s3Client, type S3Bucket } from "@/server/storage/s3-client";
import { ObjectMissing, type ByteRange, type ObjectStore, type StoredObject } from "@/server/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/storage/store";

const mebibyte = 1024 ** 2;
/** S3's own limits: parts of an object, and seconds for which a signed address may be good. */
const mostParts = 10_000;
const longestSeconds = 604_800;

interface Refusal {
  name?: string;
  $metadata?: { httpStatusCode?: number };
}

/** 400 naming the bucket: whoever chose it can mend it. */
const unreachable = (bucket: string, why: string): ServiceError =>
  new ServiceError("invalid", { fields: { storage_config_uid: [`The bucket "${bucket}" could not be used: ${why.replace(/\.$/, "")}.`] } });

/** The object store in a customer's bucket. Clients bring and fetch bytes at the bucket itself, by presigned addresses. */
export class S3Store implements ObjectStore {
  private client: Promise<S3.S3Client> | null = null;

  constructor(private readonly target: S3Bucket) {}

  /** What a key is called in the bucket. */
  nameOf(key: string): string {
    const prefix = this.target.prefix?.replace(/^\/+|\/+$/g, "") ?? "";
    return prefix === "" ? key : `${prefix}/${key}`;
  }

  private connect(): Promise<S3.S3Client> {
    return (this.client ??= s3Client(this.target));
  }

  private at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.target.bucket, Key: this.nameOf(key) };
  }

  /** Runs one operation; what the bucket refuses or does not answer is told in its name. */
  private async ask<T>(key: string, work: (client: S3.S3Client, s3: typeof S3) => Promise<T>): Promise<T> {
    try {
      return await work(await this.connect(), await import("@aws-sdk/client-s3"));
    } catch (error) {
      if (error instanceof EgressError) throw unreachable(this.target.bucket, error.message);
      const { name = "", $metadata } = error as Refusal;
      if ($metadata?.httpStatusCode === 404 && name !== "NoSuchBucket") throw new ObjectMissing(key);
      if ($metadata?.httpStatusCode !== undefined) throw unreachable(this.target.bucket, `${name} (${$metadata.httpStatusCode})`);
      throw error;
    }
  }

  async put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject> {
    const { Upload } = await import("@aws-sdk/lib-storage");
    const client = await this.connect();
    const upload = new Upload({
      client,
      params: { ...this.at(key), Body: Readable.from(exactly(body, sizeBytes)), ContentType: "application/octet-stream" },
      partSize: Math.max(8 * mebibyte, Math.ceil(sizeBytes / mostParts)),
      queueSize: 2,
    });
    await this.ask(key, () => upload.done());
    const stored = await this.head(key);
    if (!stored) throw new ObjectMissing(key);
    return stored;
  }

  async read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    if (range && range.end <= range.start) return new ReadableStream({ start: (controller) => controller.close() });
    return Readable.toWeb(await this.bytes(key, range)) as ReadableStream<Uint8Array>;
  }

  async readBytes(key: string, offset: number, length: number): Promise<Uint8Array> {
    if (length <= 0) return new Uint8Array();
    try {
      return await buffer(await this.bytes(key, { start: offset, end: offset + length }));
    } catch (error) {
      if (error instanceof BeyondEnd) return new Uint8Array();
      throw error;
    }
  }

  private async bytes(key: string, range?: ByteRange): Promise<Readable> {
    const { Body } = await this.ask(key, async (client, { GetObjectCommand }) => {
      try {
        return await client.send(new GetObjectCommand({ ...this.at(key), ...(range && { Range: `bytes=${range.start}-${range.end - 1}` }) }));
      } catch (error) {
        if ((error as Refusal).$metadata?.httpStatusCode === 416) throw new BeyondEnd();
        throw error;
      }
    });
    if (!(Body instanceof Readable)) throw new ObjectMissing(key);
    return Body;
  }

  async head(key: string): Promise<StoredObject | null> {
    try {
      const { ContentLength = 0, ETag = "", LastModified } = await this.ask(key, (client, { HeadObjectCommand }) =>
        client.send(new HeadObjectCommand(this.at(key))),
      );
      return { sizeBytes: ContentLength, etag: ETag, modifiedAt: LastModified ?? new Date(0) };
    } catch (error) {
      if (error instanceof ObjectMissing) return null;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await this.ask(key, (client, { DeleteObjectCommand }) => client.send(new DeleteObjectCommand(this.at(key)))).catch(noneIsFine);
  }

  async deletePrefix(prefix: string): Promise<void> {
    const below = { Bucket: this.target.bucket, Prefix: this.nameOf(prefix) };
    for (;;) {
      const { Contents = [] } = await this.ask(prefix, (client, { ListObjectsV2Command }) => client.send(new ListObjectsV2Command(below)));
      if (Contents.length === 0) break;
      await severalAtOnce(Contents, ({ Key }) =>
        this.ask(prefix, (client, { DeleteObjectCommand }) => client.send(new DeleteObjectCommand({ Bucket: below.Bucket, Key }))),
      );
    }
    const { Uploads = [] } = await this.ask(prefix, (client, { ListMultipartUploadsCommand }) =>
      client.send(new ListMultipartUploadsCommand(below)),
    );
    for (const { Key, UploadId } of Uploads) {
      const abort = { Bucket: below.Bucket, Key, UploadId };
      await this.ask(prefix, (client, { AbortMultipartUploadCommand }) => client.send(new AbortMultipartUploadCommand(abort))).catch(noneIsFine);
    }
  }

  async uploadUrl({ key, ttlSeconds }: UploadTarget): Promise<SignedUpload> {
    const [{ getSignedUrl }, { PutObjectCommand }] = await Promise.all([import("@aws-sdk/s3-request-presigner"), import("@aws-sdk/client-s3")]);
    const url = await getSignedUrl(await this.connect(), new PutObjectCommand(this.at(key)), { expiresIn: Math.min(ttlSeconds, longestSeconds) });
    return { url, headers: { "Content-Type": "application/octet-stream" } };
  }

  async downloadUrl({ key, fileName, ttlSeconds }: DownloadTarget): Promise<string> {
    const [{ getSignedUrl }, { GetObjectCommand }] = await Promise.all([import("@aws-sdk/s3-request-presigner"), import("@aws-sdk/client-s3")]);
    const command = new GetObjectCommand({
      ...this.at(key),
      ResponseContentDisposition: attachment(fileName),
      ResponseContentType: "application/octet-stream",
    });
    return getSignedUrl(await this.connect(), command, { expiresIn: Math.min(ttlSeconds, longestSeconds) });
  }
}

/** A range begins where the object has ended. */
class BeyondEnd extends Error {}

const noneIsFine = (error: unknown): void => {
  if (!(error instanceof ObjectMissing)) throw error;
};

/** The stream's bytes, failing before its end is told when there are more or fewer than were declared. */
async function* exactly(body: ReadableStream<Uint8Array>, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    seen += chunk.length;
    if (seen > sizeBytes) break;
    yield chunk;
  }
  if (seen !== sizeBytes) throw new Error(`${sizeBytes} bytes were declared, ${seen > sizeBytes ? "more" : seen} came`);
}
