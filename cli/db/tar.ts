import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";
import type { ArchiveSource } from "@/cli/db/source";

/** Receives all bytes of an archive; rejects with what writing them failed with. */
export type WriteBytes = (bytes: AsyncIterable<Uint8Array>) => Promise<void>;

/** Writes an archive of regular files that any tar unpacks, and records the SHA-256 of every entry in `sums`. */
export class TarWriter {
  readonly sums = new Map<string, string>();
  private readonly archive = pack();
  private readonly written: Promise<void>;

  constructor(write: WriteBytes) {
    this.written = write(this.archive);
    // Thrown by the next call of a method, or by one that waits for bytes to be taken.
    this.written.catch(() => this.archive.destroy());
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

  /** Adds the sums of all entries, as `sha256sum` writes them. They may be more than a text can hold. */
  addSums(name: string): Promise<void> {
    const { sums } = this;
    let size = 0;
    for (const [entry, sum] of sums) size += Buffer.byteLength(toSumLine(entry, sum));
    function* lines(): Generator<Buffer> {
      for (const [entry, sum] of sums) yield Buffer.from(toSumLine(entry, sum));
    }
    return this.add(name, size, lines());
  }

  /** Ends the archive, and resolves when its last byte was written. */
  async close(): Promise<void> {
    this.archive.finalize();
    await this.written;
  }
}

const toSumLine = (name: string, sum: string): string => `${sum}  ${name}\n`;

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
 * Yields the entries of an archive in order, from the one that begins at `from`. Entries whose bytes are not read are
 * skipped. Throws a TarError where the archive is truncated or damaged.
 */
export async function* readTar(source: ArchiveSource, from = 0): AsyncGenerator<TarEntry> {
  const archive = extract();
  const cause = pipeline(readChunks(source, from), archive).then(
    () => null,
    (error: unknown) => error,
  );
  // What is read of an archive that failed fails with its end, before or after the cause is known.
  const toReason = async (error: unknown): Promise<unknown> => toTarError((await cause) ?? error);
  const entries = archive[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await entries.next().catch(async (error: unknown) => Promise.reject(await toReason(error)));
      if (next.done) return;
      const entry = next.value;
      async function* bytes(): AsyncGenerator<Buffer> {
        try {
          for await (const chunk of entry) yield chunk;
        } catch (error) {
          throw await toReason(error);
        }
      }
      yield { name: entry.header.name, size: entry.header.size ?? 0, bytes };
      entry.resume();
    }
  } finally {
    archive.destroy();
  }
}

async function* readChunks({ read, readBytes, size }: ArchiveSource, from: number): AsyncGenerator<Uint8Array> {
  for (let position = from; position < size;) {
    const bytes = await read(position, readBytes);
    if (bytes.length === 0) return;
    yield bytes;
    position += bytes.length;
  }
}

const blockBytes = 512;
/** Where the kind of an archive is in a header. */
const magicAt = 257;

/**
 * The position of the header of an entry with this name, looked for from the end, where only `last` may follow it. Both
 * hold text without NUL, so no block of them looks like a header. Null when the entry is not there.
 */
export async function findFromEnd(source: ArchiveSource, name: string, last: string): Promise<number | null> {
  const isNamed = (block: Buffer, wanted: string) => block.toString("latin1", 0, wanted.length + 1) === `${wanted}\0`;
  const step = blockBytes * 2_048;
  for (let end = source.size - (source.size % blockBytes); end > 0; end -= step) {
    const start = Math.max(0, end - step);
    const bytes = Buffer.from(await source.read(start, end - start));
    for (let at = bytes.length - blockBytes; at >= 0; at -= blockBytes) {
      const block = bytes.subarray(at, at + blockBytes);
      const nul = block.indexOf(0);
      if (nul === -1) continue;
      if (block.toString("latin1", magicAt, magicAt + 5) !== "ustar") {
        // The last block of a text, and those after all entries.
        if (block.subarray(nul).some((byte) => byte !== 0)) return null;
      } else if (isNamed(block, name)) return start + at;
      else if (!isNamed(block, last)) return null;
    }
  }
  return null;
}
