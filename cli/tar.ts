import { createHash } from "node:crypto";
import { writeFile, type FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";

const readBytes = 256 * 1024;

/** Writes an archive of regular files that any tar unpacks, and records the SHA-256 of every entry in `sums`. */
export class TarWriter {
  readonly sums = new Map<string, string>();
  private readonly archive = pack();
  private readonly written: Promise<void>;

  constructor(private readonly file: FileHandle) {
    this.written = writeFile(file, this.archive);
    this.written.catch(() => {}); // thrown by the next call of a method
  }

  /** Adds an entry of exactly `size` bytes. Throws when the source holds more or fewer. */
  async add(name: string, size: number, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const hash = createHash("sha256");
    async function* exactly(): AsyncGenerator<Uint8Array> {
      let read = 0;
      for await (const chunk of source) {
        read += chunk.length;
        if (read > size) break;
        hash.update(chunk);
        yield chunk;
      }
      if (read !== size) throw new Error(`${name} was to have ${size} bytes and has ${read > size ? "more" : read}`);
    }
    try {
      await pipeline(exactly(), this.archive.entry({ name, size, mode: 0o600, mtime: new Date(0) }));
    } catch (error) {
      this.archive.destroy();
      await this.written; // throws the cause, such as a full disk, instead of the truncated entry
      throw error;
    }
    this.sums.set(name, hash.digest("hex"));
  }

  addText = (name: string, text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    return this.add(name, bytes.length, [bytes]);
  };

  /** Ends the archive and flushes it to the disk. Resolves to its size in bytes. */
  async close(): Promise<number> {
    this.archive.finalize();
    await this.written;
    await this.file.sync();
    return (await this.file.stat()).size;
  }
}

export interface TarEntry {
  name: string;
  /** In bytes. */
  size: number;
  /** The entry's bytes, to be read before the next entry is requested. The caller may retain the chunks. */
  bytes: () => AsyncGenerator<Buffer>;
}

/** The file is not a backup of Muster, or is truncated or damaged. */
export class TarError extends Error {}

/** Turns errors of tar-stream into TarErrors; returns errors of the disk unchanged. */
function toTarError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof TarError || "code" in error) return error;
  if (error.message.includes("unknown format")) return new TarError("the file is no backup of Muster");
  if (error.message.includes("Unexpected end")) return new TarError("the file breaks off");
  return new TarError("the file is damaged");
}

/**
 * Yields the entries of an archive in order. Entries whose bytes are not read are skipped. Throws a TarError where the
 * archive is truncated or damaged.
 */
export async function* readTar(file: FileHandle): AsyncGenerator<TarEntry> {
  const archive = extract();
  pipeline(readChunks(file), archive).catch(() => {}); // thrown by the archive's iterator
  const entries = archive[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await entries.next().catch((error: unknown) => Promise.reject(toTarError(error)));
      if (next.done) return;
      const entry = next.value;
      async function* bytes(): AsyncGenerator<Buffer> {
        try {
          for await (const chunk of entry) yield chunk;
        } catch (error) {
          throw toTarError(error);
        }
      }
      yield { name: entry.header.name, size: entry.header.size ?? 0, bytes };
      entry.resume();
    }
  } finally {
    archive.destroy();
  }
}

/** Reads the file from its beginning, regardless of earlier reads; a stream would close the file at its end. */
async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(readBytes), 0, readBytes, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
