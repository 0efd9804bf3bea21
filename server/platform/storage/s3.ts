import { Readable } from "node:stream";
import type * as S3 from "@aws-sdk/client-s3";
import pMap from "p-map";
import { databaseNow } from "@/server/platform/clock";
import { EgressError } from "@/server/platform/http-client/http-client";
import { BeyondEnd, BucketStore, contentType, exactly, maxSeconds } from "@/server/platform/storage/bucket-store";
import { ignoreMissing } from "@/server/platform/storage/bucket-store";
import { attachment, getMediaType } from "@/server/platform/storage/file-name";
import { getPartSize } from "@/server/platform/storage/part-size";
import { s3Client, type S3Bucket } from "@/server/platform/storage/s3-client";
import { storeConcurrency } from "@/server/platform/storage/store";
import { ObjectMissing, type ByteRange, type StoredObject } from "@/server/platform/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/platform/storage/store";

interface Refusal {
  name?: string;
  $metadata?: { httpStatusCode?: number };
}

/** The object store in a bucket of S3 or an S3-compatible store. */
export class S3Store extends BucketStore {
  private client: Promise<S3.S3Client> | null = null;

  constructor(protected readonly target: S3Bucket) {
    super(target);
  }

  private connect(): Promise<S3.S3Client> {
    return (this.client ??= s3Client(this.target));
  }

  protected at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.target.bucket, Key: this.objectName(key) };
  }

  /** Runs one operation. Rejects with an ObjectMissing, or a ServiceError that names the bucket. */
  protected async run<T>(key: string, work: (client: S3.S3Client, s3: typeof S3) => Promise<T>): Promise<T> {
    try {
      return await work(await this.connect(), await import("@aws-sdk/client-s3"));
    } catch (error) {
      if (error instanceof EgressError) throw this.toFailure(error);
      const { name = "", $metadata } = error as Refusal;
      if ($metadata?.httpStatusCode === 404 && name !== "NoSuchBucket") throw new ObjectMissing(key);
      if ($metadata?.httpStatusCode !== undefined) throw this.toRefusal(name, $metadata.httpStatusCode);
      throw error;
    }
  }

  async put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject> {
    const { Upload } = await import("@aws-sdk/lib-storage");
    const client = await this.connect();
    const upload = new Upload({
      client,
      params: { ...this.at(key), Body: Readable.from(exactly(body, sizeBytes)), ContentType: contentType },
      partSize: getPartSize(sizeBytes),
      queueSize: 2,
    });
    await this.run(key, () => upload.done());
    const stored = await this.head(key);
    if (!stored) throw new ObjectMissing(key);
    return stored;
  }

  protected async bytes(key: string, range?: ByteRange): Promise<Readable> {
    const { Body } = await this.run(key, async (client, { GetObjectCommand }) => {
      try {
        return await client.send(
          new GetObjectCommand({ ...this.at(key), ...(range && { Range: `bytes=${range.start}-${range.end - 1}` }) }),
        );
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
      const {
        ContentLength = 0,
        ETag = "",
        LastModified,
        ServerSideEncryption = "",
        SSECustomerAlgorithm = "",
      } = await this.run(key, (client, { HeadObjectCommand }) => client.send(new HeadObjectCommand(this.at(key))));
      const opaque = ServerSideEncryption.startsWith("aws:kms") || SSECustomerAlgorithm !== "";
      return { sizeBytes: ContentLength, etag: ETag, modifiedAt: LastModified ?? new Date(0), opaque };
    } catch (error) {
      if (error instanceof ObjectMissing) return null;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await this.run(key, (client, { DeleteObjectCommand }) => client.send(new DeleteObjectCommand(this.at(key)))).catch(
      ignoreMissing,
    );
  }

  async deletePrefix(prefix: string): Promise<void> {
    const below = { Bucket: this.target.bucket, Prefix: this.objectName(prefix) };
    for (;;) {
      const { Contents = [] } = await this.run(prefix, (client, { ListObjectsV2Command }) =>
        client.send(new ListObjectsV2Command(below)),
      );
      if (Contents.length === 0) break;
      await pMap(
        Contents,
        ({ Key }) =>
          this.run(prefix, (client, { DeleteObjectCommand }) =>
            client.send(new DeleteObjectCommand({ Bucket: below.Bucket, Key })),
          ),
        { concurrency: storeConcurrency },
      );
    }
    const { Uploads = [] } = await this.run(prefix, (client, { ListMultipartUploadsCommand }) =>
      client.send(new ListMultipartUploadsCommand(below)),
    );
    for (const { Key, UploadId } of Uploads) {
      const abort = { Bucket: below.Bucket, Key, UploadId };
      await this.run(prefix, (client, { AbortMultipartUploadCommand }) =>
        client.send(new AbortMultipartUploadCommand(abort)),
      ).catch(ignoreMissing);
    }
  }

  /** The client that signs the URLs of clients. */
  protected signer(): Promise<S3.S3Client> {
    return this.connect();
  }

  async uploadUrl({ key, ttlSeconds }: UploadTarget): Promise<SignedUpload> {
    const [{ getSignedUrl }, { PutObjectCommand }] = await Promise.all([
      import("@aws-sdk/s3-request-presigner"),
      import("@aws-sdk/client-s3"),
    ]);
    const url = await getSignedUrl(await this.signer(), new PutObjectCommand(this.at(key)), {
      expiresIn: Math.min(ttlSeconds, maxSeconds),
      signingDate: databaseNow(),
    });
    return { url, headers: { "Content-Type": contentType } };
  }

  async downloadUrl({ key, fileName, ttlSeconds }: DownloadTarget): Promise<string> {
    const [{ getSignedUrl }, { GetObjectCommand }] = await Promise.all([
      import("@aws-sdk/s3-request-presigner"),
      import("@aws-sdk/client-s3"),
    ]);
    const command = new GetObjectCommand({
      ...this.at(key),
      ResponseContentDisposition: attachment(fileName),
      ResponseContentType: getMediaType(fileName),
    });
    return getSignedUrl(await this.signer(), command, {
      expiresIn: Math.min(ttlSeconds, maxSeconds),
      signingDate: databaseNow(),
    });
  }
}
