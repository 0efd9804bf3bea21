import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat, type FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { pathOfKey, pathOfPrefix } from "@/server/platform/storage/keys";
import { downloadLink, uploadLink } from "@/server/platform/storage/links";
import { PartialUploads, UploadRefused } from "@/server/platform/storage/partial-uploads";
import { ObjectMissing, type ByteRange, type ObjectStore, type StoredObject } from "@/server/platform/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/platform/storage/store";
import { removeFolder, Versions } from "@/server/platform/storage/versions";

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
type Admit = (publish: Publish) => Promise<void>;

/** How many bytes of an upload are there now, and the object's tag once they became it. */
interface Received {
  received: number;
  etag: string | null;
}

/** An upload's bytes up to `position`, in its own file. The hash is null when not all came through this process. */
interface Progress {
  readonly handle: FileHandle;
  position: number;
  hash: Hash | null;
}

/**
 * The object store on the local disk, which any number of processes may share. What lies where: see Versions. Folders
 * and files are closed to other users of the machine, whatever the umask.
 */
export class DiskStore implements ObjectStore {
  private readonly partial = new PartialUploads();

  constructor(private readonly root: string) {}

  private openVersions(key: string): Versions {
    return new Versions(pathOfKey(this.root, key));
  }

  async put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject> {
    const part = { start: 0, end: sizeBytes, sizeBytes, body };
    const { received } = await this.write(key, part, (publish) => publish(), { resumable: false });
    if (received !== sizeBytes) throw new UploadRefused("short", received);
    const stored = await this.head(key);
    if (!stored) throw new ObjectMissing(key);
    return stored;
  }

  /** How many bytes of an unfinished upload are kept. */
  async receivedBytes(key: string): Promise<number> {
    return this.openVersions(key).receivedBytes();
  }

  /** Forgets every unfinished upload of a key; one under way in whatever process cannot become the object any more. */
  async discard(key: string): Promise<void> {
    await this.openVersions(key).discard();
  }

  /**
   * Writes a part of an upload, beginning at most where the kept bytes end. Once all are there, `admit` decides whether
   * they become the object; `etag` is null when not. A newer call in this process takes over from one under way. When
   * the body fails, what came is kept and the error passed on. Throws an UploadRefused for all its reasons but `short`.
   */
  receive(key: string, part: Part, admit: Admit): Promise<Received> {
    return this.write(key, part, admit, { resumable: true });
  }

  private async write(key: string, part: Part, admit: Admit, { resumable }: { resumable: boolean }): Promise<Received> {
    const versions = this.openVersions(key);
    return this.partial.exclusive(key, async (signal) => {
      const { id, handle, from } = await versions.begin(part.start);
      const hash = from === null ? null : this.partial.takeHash(from, part.start);
      const progress: Progress = { handle, position: part.start, hash: part.start === 0 ? createHash("md5") : hash };
      const state = { resumable, published: false };
      try {
        await append(progress, part, signal);
        if (progress.position < part.sizeBytes) return { received: progress.position, etag: null };
        const md5 = (progress.hash?.copy() ?? (await hashContent(handle))).digest("hex");
        await admit(async () => {
          await versions.publish(id, md5);
          state.published = true;
        });
        if (!state.published) state.resumable = false;
        return { received: progress.position, etag: state.published ? `"${md5}"` : null };
      } finally {
        const kept = state.resumable && !state.published && progress.position > 0;
        if (kept) await this.keep(versions, id, progress);
        else await handle.close();
        if (!kept && !state.published) await versions.drop(id);
      }
    });
  }

  /** Leaves what came of an upload for the next one to go on with. */
  private async keep(versions: Versions, id: string, { handle, position, hash }: Progress): Promise<void> {
    try {
      await handle.truncate(position); // a failed write may have left some bytes beyond
      await handle.sync();
    } finally {
      await handle.close();
    }
    const file = await versions.keep(id);
    if (hash) this.partial.keepHash(file, hash, position);
  }

  async head(key: string): Promise<StoredObject | null> {
    return this.openVersions(key).object(async (file, md5) => {
      const [{ size, mtime }, etag] = await Promise.all([
        stat(file),
        md5 === null ? readFile(`${file}.etag`, "utf8") : `"${md5}"`,
      ]);
      return { sizeBytes: size, etag, modifiedAt: mtime };
    });
  }

  /** Opens the object for reading. Rejects with an ObjectMissing when there is none. */
  private async open(key: string): Promise<FileHandle> {
    const handle = await this.openVersions(key).object((file) => open(file, "r"));
    if (!handle) throw new ObjectMissing(key);
    return handle;
  }

  async read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const handle = await this.open(key);
    if (range && range.end <= range.start) {
      await handle.close();
      return new ReadableStream({ start: (controller) => controller.close() });
    }
    const bounds = range ? { start: range.start, end: range.end - 1 } : {};
    const stream = createReadStream("", { fd: handle, highWaterMark: 256 * 1024, ...bounds });
    return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
  }

  async readBytes(key: string, offset: number, length: number): Promise<Uint8Array> {
    const handle = await this.open(key);
    try {
      // How large it is need only be known where a caller asks for far more than there may be.
      const max = length <= smallRead ? length : Math.min(length, (await handle.stat()).size - offset);
      const wanted = Math.max(0, max);
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
    await this.openVersions(key).rename(etag.replaceAll('"', ""));
  }

  async delete(key: string): Promise<void> {
    await this.openVersions(key).delete();
  }

  async deletePrefix(prefix: string): Promise<void> {
    await removeFolder(pathOfPrefix(this.root, prefix));
  }

  uploadUrl(target: UploadTarget): Promise<SignedUpload> {
    return Promise.resolve({ url: uploadLink(target), headers: { "Content-Type": "application/octet-stream" } });
  }

  downloadUrl(target: DownloadTarget): Promise<string> {
    return Promise.resolve(downloadLink(target));
  }

  objectName(key: string): string {
    return key;
  }
}

/** Writes a body after what is there already, until it ends. `progress` tells what came, however it ends. */
async function append(progress: Progress, part: Part, signal: AbortSignal): Promise<void> {
  const { handle } = progress;
  const reader = part.body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    if (signal.aborted) stop();
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw new UploadRefused("superseded", progress.position);
      if (done) break;
      if (progress.position + value.length > part.end) {
        [progress.position, progress.hash] = [part.start, null];
        throw new UploadRefused("long", part.start);
      }
      await appendChunk(progress, value);
    }
    await handle.sync();
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The hash is worked out while the bytes are being written; it is of no use when they were not. */
async function appendChunk(progress: Progress, bytes: Uint8Array): Promise<void> {
  const { handle, hash, position } = progress;
  progress.hash = null;
  const written = writeAll(handle, bytes, position);
  hash?.update(bytes);
  await written;
  progress.hash = hash;
  progress.position += bytes.length;
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Reads the whole file: needed once, for an upload that another process continued than the one that began it. */
async function hashContent(handle: FileHandle): Promise<Hash> {
  const hash = createHash("md5");
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}
