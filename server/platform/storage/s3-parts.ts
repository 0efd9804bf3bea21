import type * as S3 from "@aws-sdk/client-s3";
import { databaseNow } from "@/server/platform/clock";
import { contentType, ignoreMissing } from "@/server/platform/storage/bucket-store";
import { getPartSize } from "@/server/platform/storage/part-size";
import { S3Store } from "@/server/platform/storage/s3";

export interface UploadedPart {
  number: number;
  etag: string;
  size: number;
}

/** A bucket of S3 with its multipart uploads, and listings of any length. */
export abstract class S3PartStore extends S3Store {
  protected async createUpload(key: string): Promise<string> {
    const upload = { ...this.at(key), ContentType: contentType };
    const { UploadId = "" } = await this.run(key, (client, { CreateMultipartUploadCommand }) =>
      client.send(new CreateMultipartUploadCommand(upload)),
    );
    return UploadId;
  }

  protected async uploadPart(key: string, uploadId: string, number: number, bytes: Buffer): Promise<UploadedPart> {
    const part = { ...this.at(key), UploadId: uploadId, PartNumber: number, Body: bytes };
    const { ETag = "" } = await this.run(key, (client, { UploadPartCommand }) =>
      client.send(new UploadPartCommand(part)),
    );
    return { number, etag: ETag, size: bytes.length };
  }

  /** Names the parts by their tags: it fails when another process has replaced one. Resolves to the object's tag. */
  protected async completeUpload(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<string> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
    const complete = { ...this.at(key), UploadId: uploadId, MultipartUpload: { Parts } };
    const { ETag = "" } = await this.run(key, (client, { CompleteMultipartUploadCommand }) =>
      client.send(new CompleteMultipartUploadCommand(complete)),
    );
    return ETag;
  }

  /** Stores a small object with one request. Resolves to its tag. */
  protected async putBytes(key: string, bytes: Buffer): Promise<string> {
    const object = { ...this.at(key), Body: bytes, ContentType: contentType };
    const { ETag = "" } = await this.run(key, (client, { PutObjectCommand }) =>
      client.send(new PutObjectCommand(object)),
    );
    return ETag;
  }

  /** The parts of an object of this size that follow each other from the first byte. */
  protected async listParts(key: string, uploadId: string, sizeBytes: number): Promise<UploadedPart[]> {
    const parts: UploadedPart[] = [];
    const step = getPartSize(sizeBytes);
    let marker: string | undefined;
    do {
      const page = { ...this.at(key), UploadId: uploadId, ...(marker !== undefined && { PartNumberMarker: marker }) };
      const {
        Parts = [],
        IsTruncated,
        NextPartNumberMarker,
      } = await this.run(key, (client, { ListPartsCommand }) => client.send(new ListPartsCommand(page)));
      for (const { PartNumber, ETag = "", Size = 0 } of Parts) {
        const number = parts.length + 1;
        if (PartNumber !== number || Size !== Math.min(step, sizeBytes - (number - 1) * step)) return parts;
        parts.push({ number, etag: ETag, size: Size });
      }
      marker = IsTruncated ? NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return parts;
  }

  /** The unfinished uploads of a key, the newest last. */
  protected async listUploads(key: string): Promise<string[]> {
    const name = this.objectName(key);
    const { Uploads = [] } = await this.run(key, (client, { ListMultipartUploadsCommand }) =>
      client.send(new ListMultipartUploadsCommand({ Bucket: this.target.bucket, Prefix: name })),
    );
    const time = (initiated: Date | undefined) => initiated?.getTime() ?? 0;
    return Uploads.filter(({ Key }) => Key === name)
      .sort((a, b) => time(a.Initiated) - time(b.Initiated))
      .map(({ UploadId = "" }) => UploadId);
  }

  protected abortUpload(key: string, id: string): Promise<void> {
    return this.run(key, async (client, { AbortMultipartUploadCommand }) => {
      await client.send(new AbortMultipartUploadCommand({ ...this.at(key), UploadId: id }));
    }).catch(ignoreMissing);
  }

  /** The unfinished uploads of all keys. */
  protected async *listAllUploads(): AsyncGenerator<{ key: string; at: Date }> {
    let marker: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
    while (marker !== null) {
      const page: S3.ListMultipartUploadsCommandInput = { Bucket: this.target.bucket, Prefix: this.root, ...marker };
      const found: S3.ListMultipartUploadsCommandOutput = await this.run(
        "",
        (client, { ListMultipartUploadsCommand }) => client.send(new ListMultipartUploadsCommand(page)),
      );
      for (const { Key = "", Initiated } of found.Uploads ?? [])
        yield { key: Key.slice(this.root.length), at: Initiated ?? databaseNow() };
      const { NextKeyMarker, NextUploadIdMarker } = found;
      marker =
        found.IsTruncated && NextKeyMarker !== undefined
          ? {
              KeyMarker: NextKeyMarker,
              ...(NextUploadIdMarker !== undefined && { UploadIdMarker: NextUploadIdMarker }),
            }
          : null;
    }
  }

  /** What the names of all objects begin with. */
  private get root(): string {
    return this.objectName("");
  }

  protected async *listObjects(prefix: string): AsyncGenerator<{ key: string; at: Date }> {
    let token: string | undefined;
    do {
      const page: S3.ListObjectsV2CommandInput = {
        Bucket: this.target.bucket,
        Prefix: this.objectName(prefix),
        ...(token !== undefined && { ContinuationToken: token }),
      };
      const found: S3.ListObjectsV2CommandOutput = await this.run("", (client, { ListObjectsV2Command }) =>
        client.send(new ListObjectsV2Command(page)),
      );
      for (const { Key = "", LastModified } of found.Contents ?? [])
        yield { key: Key.slice(this.root.length), at: LastModified ?? databaseNow() };
      token = found.IsTruncated ? found.NextContinuationToken : undefined;
    } while (token !== undefined);
  }
}
