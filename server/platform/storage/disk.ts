import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { requireSpace, spaceGuard } from "@/server/platform/storage/disk-space";
import { markName, pathOfKey, pathOfPrefix } from "@/server/platform/storage/keys";
import { downloadLink, uploadLink } from "@/server/platform/storage/links";
import { OpenFile, readAt } from "@/server/platform/storage/open-file";
import type { Admit, Listed, OwnStore, Part, Received } from "@/server/platform/storage/own-store";
import { PartialUploads, UploadInterrupted, UploadRefused } from "@/server/platform/storage/partial-uploads";
import { ObjectMissing, type ByteRange, type OpenObject, type StoredObject } from "@/server/platform/storage/store";
import type { DownloadTarget, SignedUpload, UploadTarget } from "@/server/platform/storage/store";
import { removeFolder, Versions } from "@/server/platform/storage/versions";
import { walkFiles } from "@/server/platform/storage/walk-files";
import { toWebStream } from "@/server/platform/storage/web-stream";

/** An upload's bytes up to `position`, in its own file. The hash is null unless this process received all of them. */
interface Progress {
  readonly handle: FileHandle;
  position: number;
  hash: Hash | null;
}

interface Written extends Received {
  /** When the last byte was written. */
  modifiedAt: Date;
}

/**
 * The object store on the local disk, which any number of processes may share. For the layout see Versions. Folders and
 * files are inaccessible to other users of the machine, with any umask.
 */
export class DiskStore implements OwnStore {
  private readonly partial = new PartialUploads();

  constructor(private readonly root: string) {}

  get location(): string {
    return this.root;
  }

  private openVersions(key: string): Versions {
    return new Versions(pathOfKey(this.root, key));
  }

  async put(key: string, body: ReadableStream<Uint8Array>, sizeBytes: number): Promise<StoredObject> {
    const part = { start: 0, end: sizeBytes, sizeBytes, body };
    const writing = this.write(key, part, (publish) => publish(), { resumable: false });
    const { received, etag, modifiedAt } = await writing.catch((error: unknown) => {
      throw error instanceof UploadInterrupted ? error.cause : error; // the caller's own stream
    });
    if (received !== sizeBytes || etag === null) throw new UploadRefused("short", received);
    return { sizeBytes, etag, modifiedAt };
  }

  async receivedBytes(key: string): Promise<number> {
    return this.openVersions(key).receivedBytes();
  }

  async discard(key: string): Promise<void> {
    await this.openVersions(key).discard();
  }

  async receive(key: string, part: Part, admit: Admit): Promise<Received> {
    const { received, etag } = await this.write(key, part, admit, { resumable: true });
    return { received, etag };
  }

  private async write(key: string, part: Part, admit: Admit, { resumable }: { resumable: boolean }): Promise<Written> {
    const versions = this.openVersions(key);
    // Before the body is read, so that nothing is sent in vain.
    await requireSpace(this.root, part.end - part.start);
    const work = async (signal: AbortSignal): Promise<Written> => {
      const { id, handle, from } = await versions.begin(part.start);
      const hash = from === null ? null : this.partial.takeHash(from, part.start);
      const progress: Progress = { handle, position: part.start, hash: part.start === 0 ? createHash("md5") : hash };
      const state = { resumable, published: false };
      try {
        await append(progress, part, signal, spaceGuard(this.root));
        const { mtime: modifiedAt } = await handle.stat();
        if (progress.position < part.sizeBytes) return { received: progress.position, etag: null, modifiedAt };
        const md5 = (progress.hash?.copy() ?? (await hashContent(handle))).digest("hex");
        await admit(async () => {
          await versions.publish(id, md5);
          state.published = true;
        });
        if (!state.published) state.resumable = false;
        return { received: progress.position, etag: state.published ? `"${md5}"` : null, modifiedAt };
      } finally {
        const retain = state.resumable && !state.published && progress.position > 0;
        if (retain) await this.keep(versions, id, progress);
        else await handle.close();
        if (!retain && !state.published) await versions.drop(id);
      }
    };
    return this.partial.exclusive(key, work, part.arrivedAt);
  }

  /** Closes and retains the received bytes of an upload, so that it can be resumed. */
  private async keep(versions: Versions, id: string, { handle, position, hash }: Progress): Promise<void> {
    try {
      await handle.truncate(position); // a failed write may have left bytes beyond it
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

  /** Opens the object's file. Rejects with an ObjectMissing when there is none. */
  private async openFile(key: string): Promise<FileHandle> {
    const handle = await this.openVersions(key).object((file) => open(file, "r"));
    if (!handle) throw new ObjectMissing(key);
    return handle;
  }

  async read(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const handle = await this.openFile(key);
    if (range && range.end <= range.start) {
      await handle.close();
      return new ReadableStream({ start: (controller) => controller.close() });
    }
    const bounds = range ? { start: range.start, end: range.end - 1 } : {};
    const stream = createReadStream("", { fd: handle, highWaterMark: 256 * 1024, ...bounds });
    return toWebStream(stream);
  }

  async open(key: string): Promise<OpenObject> {
    const handle = await this.openFile(key);
    const file = new OpenFile(handle);
    return {
      descriptor: handle.fd,
      read: (offset, length, target) => file.read(offset, length, target),
      close: () => handle.close(),
    };
  }

  async readBytes(key: string, offset: number, length: number): Promise<Uint8Array> {
    const handle = await this.openFile(key);
    try {
      return await readAt(handle, offset, length);
    } finally {
      await handle.close();
    }
  }

  /** Gives an object with damaged bytes the tag of the original bytes, so that the damage can be detected. */
  async keepTag(key: string, etag: string): Promise<void> {
    await this.openVersions(key).rename(etag.replaceAll('"', ""));
  }

  async *list(): AsyncGenerator<Listed> {
    for await (const { key, complete } of walkFiles(this.root)) if (complete) yield { key };
  }

  async *listUnfinished(before: Date): AsyncGenerator<Listed> {
    for await (const { key, complete, file } of walkFiles(this.root)) {
      if (complete) continue;
      const found = await stat(file).catch(() => null); // finished meanwhile
      if (found && found.mtime < before) yield { key };
    }
  }

  async readMark(): Promise<string | null> {
    return readFile(path.join(this.root, markName), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
  }

  async writeMark(text: string): Promise<void> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    const file = path.join(this.root, markName);
    const handle = await open(`${file}.new`, "w", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${file}.new`, file);
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

/** Appends a body to the received bytes. `progress` is up to date even when it throws. */
async function append(
  progress: Progress,
  part: Part,
  signal: AbortSignal,
  checkSpace: () => Promise<void>,
): Promise<void> {
  const { handle } = progress;
  const reader = part.body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    if (signal.aborted) stop();
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new UploadInterrupted(error);
      });
      if (signal.aborted) throw new UploadRefused("superseded", progress.position);
      if (done) break;
      if (progress.position + value.length > part.end) {
        [progress.position, progress.hash] = [part.start, null];
        throw new UploadRefused("long", part.start);
      }
      await checkSpace();
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

/** Hashes the bytes while they are being written; drops the hash when the write fails. */
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

/** Hashes the complete file: needed when an upload was resumed by another process. */
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
