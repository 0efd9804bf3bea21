import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pathOfKey, pathOfPrefix } from "@/server/storage/keys";
import { downloadLink, uploadLink } from "@/server/storage/links";
import { PartialUploads, UploadRefused } from "@/server/storage/partial-uploads";
import { ObjectMissing, type ByteRange, type ObjectStore, type StoredObject } from "@/server/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/storage/store";

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

/** Rejects with an ObjectMissing in place of the file system's own error. */
async function existing<T>(key: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isMissing(error) ? new ObjectMissing(key) : error;
  }
}

/** Bytes that are asked for without looking first how many there are. */
const smallRead = 256 * 1024;

/** Bytes of one upload: where they begin, where they end at the latest, and how many the whole object has. */
export interface Part {
  start: number;
  end: number;
  sizeBytes: number;
  body: ReadableStream<Uint8Array>;
}

/** Makes the object visible under its key. Whoever admits an upload calls it, or throws instead. */
export type Publish = () => Promise<void>;

/**
 * The object store on the local disk. An object `<key>` has its entity tag beside it in `<key>.etag`; an unfinished upload lies
 * in `<key>.part`. Keys hold no dot, so these never meet.
 */
export class DiskStore implements ObjectStore {
  private readonly partial = new PartialUploads();

  constructor(private readonly root: string) {}

  async put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject> {
    const { received } = await this.receive(key, { start: 0, end: sizeBytes, sizeBytes, body });
    if (received !== sizeBytes) throw new UploadRefused("short", received);
    const stored = await this.head(key);
    if (!stored) throw new ObjectMissing(key);
    return stored;
  }

  /** How many bytes of an unfinished upload are kept. */
  async receivedBytes(key: string): Promise<number> {
    const file = await stat(`${pathOfKey(this.root, key)}.part`).catch(() => null);
    return file?.size ?? 0;
  }

  /** Forgets an unfinished upload. */
  async discard(key: string): Promise<void> {
    await rm(`${pathOfKey(this.root, key)}.part`, { force: true });
  }

  /**
   * Writes a part of an upload, beginning at most where the kept bytes end. Once all bytes are there, `admit` decides whether
   * they become the object. A newer call for the same key takes over from one under way. When the body fails, what came is
   * kept and the error is passed on; throws an UploadRefused for a start beyond what is kept or more bytes than declared.
   */
  async receive(
    key: string,
    part: Part,
    admit: (publish: Publish) => Promise<void> = (publish) => publish(),
  ): Promise<{ received: number; etag: string | null }> {
    const target = pathOfKey(this.root, key);
    return this.partial.exclusive(key, async (signal) => {
      await mkdir(path.dirname(target), { recursive: true });
      const handle = await open(`${target}.part`, part.start === 0 ? "w+" : "r+").catch((error: unknown) => {
        if (isMissing(error)) throw new UploadRefused("gap", 0);
        throw error;
      });
      try {
        const { received, hash } = await this.append(key, handle, part, signal);
        if (received < part.sizeBytes) return { received, etag: null };
        const digest = hash ?? (await hashOf(handle));
        const etag = `"${digest.digest("hex")}"`;
        await admit(() => this.publish(target, etag));
        return { received, etag };
      } finally {
        await handle.close();
      }
    });
  }

  private async append(
    key: string,
    handle: FileHandle,
    part: Part,
    signal: AbortSignal,
  ): Promise<{ received: number; hash: Hash | null }> {
    const before = await handle.stat();
    if (part.start > before.size) throw new UploadRefused("gap", before.size);
    const hash = part.start === 0 ? createHash("md5") : this.partial.takeHash(key, part.start, before);
    if (part.start < before.size) await handle.truncate(part.start);
    let position = part.start;
    const reader = part.body.getReader();
    const stop = () => void reader.cancel().catch(() => {});
    signal.addEventListener("abort", stop);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (signal.aborted) throw new UploadRefused("superseded", position);
        if (done) break;
        if (position + value.length > part.end) {
          await handle.truncate(part.start);
          throw new UploadRefused("long", part.start);
        }
        hash?.update(value);
        await writeAll(handle, value, position);
        position += value.length;
      }
    } catch (error) {
      await reader.cancel(error).catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      await handle.sync();
      if (hash && position < part.sizeBytes) this.partial.keepHash(key, hash, await handle.stat());
    }
    return { received: position, hash };
  }

  /** The tag first, then the object under its key: no reader ever finds an object without a tag. */
  private async publish(target: string, etag: string): Promise<void> {
    await writeTag(target, etag);
    await rename(`${target}.part`, target);
    await syncFolder(path.dirname(target));
  }

  async head(key: string): Promise<StoredObject | null> {
    const target = pathOfKey(this.root, key);
    try {
      const [file, etag] = await Promise.all([stat(target), readFile(`${target}.etag`, "utf8")]);
      return { sizeBytes: file.size, etag, modifiedAt: file.mtime };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const handle = await existing(key, open(pathOfKey(this.root, key), "r"));
    if (range && range.end <= range.start) {
      await handle.close();
      return new ReadableStream({ start: (controller) => controller.close() });
    }
    const bounds = range ? { start: range.start, end: range.end - 1 } : {};
    const stream = createReadStream("", { fd: handle, highWaterMark: 256 * 1024, ...bounds });
    return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
  }

  async readBytes(key: string, offset: number, length: number): Promise<Uint8Array> {
    const handle = await existing(key, open(pathOfKey(this.root, key), "r"));
    try {
      // How large it is need only be known where a caller asks for far more than there may be.
      const most = length <= smallRead ? length : Math.min(length, (await handle.stat()).size - offset);
      const wanted = Math.max(0, most);
      const buffer = Buffer.allocUnsafeSlow(wanted);
      let filled = 0;
      while (filled < wanted) {
        const { bytesRead } = await handle.read(buffer, filled, wanted - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    } finally {
      await handle.close();
    }
  }

  /** Gives an object whose bytes are damaged the tag of those it should have, by which the damage can be found. */
  async keepTag(key: string, etag: string): Promise<void> {
    await writeTag(pathOfKey(this.root, key), etag);
  }

  async delete(key: string): Promise<void> {
    const target = pathOfKey(this.root, key);
    await Promise.all(["", ".etag", ".part"].map((suffix) => rm(`${target}${suffix}`, { force: true })));
  }

  async deletePrefix(prefix: string): Promise<void> {
    await rm(pathOfPrefix(this.root, prefix), { recursive: true, force: true });
  }

  uploadUrl(target: UploadTarget): Promise<SignedUpload> {
    return Promise.resolve({ url: uploadLink(target), headers: { "Content-Type": "application/octet-stream" } });
  }

  downloadUrl(target: DownloadTarget): Promise<string> {
    return Promise.resolve(downloadLink(target));
  }

  nameOf(key: string): string {
    return key;
  }
}

async function writeTag(target: string, etag: string): Promise<void> {
  const tag = await open(`${target}.etag.part`, "w");
  try {
    await tag.writeFile(etag);
    await tag.sync();
  } finally {
    await tag.close();
  }
  await rename(`${target}.etag.part`, `${target}.etag`);
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Reads the whole file: needed once, for an upload that was continued by another process than the one that began it. */
async function hashOf(handle: FileHandle): Promise<Hash> {
  const hash = createHash("md5");
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

/** Without it a rename may be forgotten by a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
