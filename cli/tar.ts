import { createHash } from "node:crypto";
import { writeFile, type FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";

const readBytes = 256 * 1024;

/** Writes an archive of regular files, which any tar unpacks; remembers the SHA-256 of every entry in `sums`. */
export class TarWriter {
  readonly sums = new Map<string, string>();
  private readonly archive = pack();
  private readonly written: Promise<void>;

  constructor(private readonly file: FileHandle) {
    this.written = writeFile(file, this.archive);
    this.written.catch(() => {}); // thrown by whichever method is called next
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
      await this.written; // a disk that is full is the reason, not the entry that it cut short
      throw error;
    }
    this.sums.set(name, hash.digest("hex"));
  }

  addText = (name: string, text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    return this.add(name, bytes.length, [bytes]);
  };

  /** Ends the archive and brings it to the disk. Resolves to its size in bytes. */
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
  /** The entry's bytes, to be read before the next entry is asked for. Each chunk is the caller's to keep. */
  bytes: () => AsyncGenerator<Buffer>;
}

/** Why a file is no archive of ours, or not all of it. */
export class TarError extends Error {}

/** What tar-stream says of a file that it cannot read, in our words; errors of the disk stay what they are. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof TarError || "code" in error) return error;
  if (error.message.includes("unknown format")) return new TarError("the file is no backup of Muster");
  if (error.message.includes("Unexpected end")) return new TarError("the file breaks off");
  return new TarError("the file is damaged");
}

/**
 * The entries of an archive, in order. Entries whose bytes are not asked for are skipped. Throws a TarError where it
 * breaks off.
 */
export async function* readTar(file: FileHandle): AsyncGenerator<TarEntry> {
  const archive = extract();
  pipeline(readChunks(file), archive).catch(() => {}); // thrown by the archive's iterator
  const entries = archive[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await entries.next().catch((error: unknown) => Promise.reject(explained(error)));
      if (next.done) return;
      const entry = next.value;
      async function* bytes(): AsyncGenerator<Buffer> {
        try {
          for await (const chunk of entry) yield chunk;
        } catch (error) {
          throw explained(error);
        }
      }
      yield { name: entry.header.name, size: entry.header.size ?? 0, bytes };
      entry.resume();
    }
  } finally {
    archive.destroy();
  }
}

/** The file from its beginning, whatever was read of it before; a stream of it would close it at its end. */
async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(readBytes), 0, readBytes, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
