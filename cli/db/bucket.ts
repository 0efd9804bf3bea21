import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "@/cli/client/api-client";
import { ServiceError } from "@/server/platform/errors";
import { isTransient, type EgressError } from "@/server/platform/http-client/http-client";
import { isTransientStatus } from "@/server/platform/storage/bucket-store";
import { operatorBucket } from "@/server/platform/storage/own";
import { S3PartStore, type UploadedPart } from "@/server/platform/storage/s3-parts";

/** How often a part is sent again while the bucket is away, with a pause that doubles: a backup takes hours. */
const attempts = 8;
const firstPauseMs = 1_000;

class BucketUnusable extends ServiceError {
  constructor(
    detail: string,
    readonly passing: boolean,
  ) {
    super("unavailable", { detail });
  }
}

export const isBucketAddress = (name: string): boolean => name.startsWith("s3://");

/** Splits `s3://bucket/key`. Throws a CommandError. */
export function parseAddress(address: string): { bucket: string; key: string } {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([^\s/][^\s]{0,899})$/.exec(address);
  const [, bucket, key] = match ?? [];
  if (bucket === undefined || key === undefined || key.split("/").some((part) => ["", ".", ".."].includes(part)))
    throw new CommandError(`"${address}" is no address of an object, such as s3://bucket/backups/monday.tar.`);
  return { bucket, key };
}

/** The bucket of a backup, which the S3 settings open. Keys are names of its objects. */
export class BackupBucket extends S3PartStore {
  constructor(private readonly bucket: string) {
    super(operatorBucket({ bucket, prefix: null }));
  }

  protected override toFailure(error: EgressError): ServiceError {
    return new BucketUnusable(this.describe(error.message), isTransient(error));
  }

  protected override toRefusal(reason: string, status: number): ServiceError {
    return new BucketUnusable(this.describe(`${reason} (${status})`), isTransientStatus(status));
  }

  private describe(reason: string): string {
    return `The bucket ${this.bucket} cannot be used: ${reason}.`;
  }

  /** Begins an object, and removes what interrupted backups have sent of it. Resolves to the id of the upload. */
  async begin(key: string): Promise<string> {
    for (const id of await this.listUploads(key)) await this.abortUpload(key, id);
    return this.createUpload(key);
  }

  async send(key: string, upload: string, number: number, bytes: Buffer): Promise<UploadedPart> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.uploadPart(key, upload, number, bytes);
      } catch (error) {
        if (!(error instanceof BucketUnusable && error.passing) || attempt === attempts) throw error;
        await sleep(firstPauseMs * 2 ** (attempt - 1));
      }
    }
  }

  /** Makes an object of its parts. */
  async finish(key: string, upload: string, parts: readonly UploadedPart[]): Promise<void> {
    await this.completeUpload(key, upload, parts);
  }

  abandon = (key: string, upload: string): Promise<void> => this.abortUpload(key, upload);
}
