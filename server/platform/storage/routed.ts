import { bucketStore } from "@/server/platform/storage/buckets";
import { inBucket } from "@/server/platform/storage/keys";
import {
  ObjectMissing,
  type ByteRange,
  type ObjectStore,
  type OpenObject,
  type StoredObject,
} from "@/server/platform/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/platform/storage/store";

/**
 * The store of every object: a key that begins with a bucket belongs to that bucket, all others to the installation's
 * own store. A bucket whose configuration was deleted counts as empty.
 */
export class RoutedStore implements ObjectStore {
  constructor(private readonly own: ObjectStore) {}

  private async route(key: string): Promise<{ store: ObjectStore | null; key: string }> {
    const bucket = inBucket(key);
    return bucket ? { store: await bucketStore(bucket.configUid), key: bucket.key } : { store: this.own, key };
  }

  async put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject> {
    const at = await this.route(key);
    if (!at.store) throw new ObjectMissing(key);
    return at.store.put(at.key, body, sizeBytes);
  }

  async read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const at = await this.route(key);
    if (!at.store) throw new ObjectMissing(key);
    return at.store.read(at.key, range);
  }

  async readBytes(key: string, offset: number, length: number): Promise<Uint8Array> {
    const at = await this.route(key);
    if (!at.store) throw new ObjectMissing(key);
    return at.store.readBytes(at.key, offset, length);
  }

  async open(key: string): Promise<OpenObject> {
    const at = await this.route(key);
    if (!at.store) throw new ObjectMissing(key);
    return at.store.open(at.key);
  }

  async head(key: string): Promise<StoredObject | null> {
    const at = await this.route(key);
    return at.store?.head(at.key) ?? null;
  }

  async delete(key: string): Promise<void> {
    const at = await this.route(key);
    await at.store?.delete(at.key);
  }

  async deletePrefix(prefix: string): Promise<void> {
    const at = await this.route(prefix);
    await at.store?.deletePrefix(at.key);
  }

  async uploadUrl(target: UploadTarget): Promise<SignedUpload> {
    const at = await this.route(target.key);
    if (!at.store) throw new ObjectMissing(target.key);
    return at.store.uploadUrl({ ...target, key: at.key });
  }

  async downloadUrl(target: DownloadTarget): Promise<string | null> {
    const at = await this.route(target.key);
    return at.store?.downloadUrl({ ...target, key: at.key }) ?? null;
  }

  async objectName(key: string): Promise<string> {
    const at = await this.route(key);
    return at.store?.objectName(at.key) ?? at.key;
  }
}
