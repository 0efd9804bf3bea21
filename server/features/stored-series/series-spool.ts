import { mkdir, open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { databaseNow } from "@/server/platform/clock";
import type { Attempt } from "@/server/platform/jobs/queue";
import type { Log } from "@/server/platform/log";
import { readAt } from "@/server/platform/storage/open-file";

/** Bytes kept in memory before they are appended: many small writes cost more than the bytes. */
const heldBytes = 256 * 1024;
/** Bytes kept in memory where the disk takes none. */
const maxHeldBytes = 256 * 1024 * 1024;
/** Age at which a file is of no attempt any more: one of a job that was never tried again. */
const leftMs = 24 * 3_600_000;

/**
 * Bytes that are kept on the local disk until their number is known: a store wants it before them. What the disk does
 * not take stays in memory, up to a limit.
 */
export class SeriesSpool {
  private readonly held: Uint8Array[] = [];
  private heldSize = 0;
  private written = 0;
  private takes = true;

  private constructor(
    private readonly location: string,
    private readonly file: FileHandle | null,
    private readonly log: Pick<Log, "warn">,
  ) {}

  /**
   * An empty spool of an attempt of a job. The files of those before it are removed: one that was killed left its file, and
   * one that is paused keeps it open. So are those that were left long ago.
   */
  static async create(folder: string, { jobId, attempt }: Attempt, log: Pick<Log, "warn">): Promise<SeriesSpool> {
    const locate = (number: number): string => path.join(folder, `${jobId}-${number}`);
    try {
      await mkdir(folder, { recursive: true });
      for (let earlier = 1; earlier < attempt; earlier++) await rm(locate(earlier), { force: true });
      await removeLeft(folder).catch((error: unknown) => log.warn({ err: error }, "left series could not be removed"));
      return new SeriesSpool(locate(attempt), await open(locate(attempt), "w+"), log);
    } catch (error) {
      log.warn({ err: error }, notWritten);
      return new SeriesSpool(locate(attempt), null, log);
    }
  }

  get size(): number {
    return this.written + this.heldSize;
  }

  /** Throws when the disk takes nothing and memory no more. */
  async append(bytes: Uint8Array): Promise<void> {
    this.held.push(bytes);
    this.heldSize += bytes.length;
    if (this.file && this.takes && this.heldSize >= heldBytes) await this.flush(this.file);
    if (this.heldSize > maxHeldBytes)
      throw new Error("series could not be written to disk, and are too many to be held in memory");
  }

  /** Bytes that were appended. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const target = Buffer.allocUnsafe(length);
    let filled = 0;
    if (this.file && offset < this.written) {
      const part = Math.min(length, this.written - offset);
      const { length: read } = await readAt(this.file, offset, part, target);
      if (read < part) throw new Error("a spool of series is shorter than what was written");
      filled = part;
    }
    let at = this.written;
    for (const bytes of this.held) {
      const from = Math.max(0, offset + filled - at);
      if (filled < length && from < bytes.length) {
        const part = bytes.subarray(from, from + length - filled);
        target.set(part, filled);
        filled += part.length;
      }
      at += bytes.length;
    }
    if (filled < length) throw new Error("a spool of series is shorter than what is read");
    return target;
  }

  stream(): ReadableStream<Uint8Array> {
    let at = 0;
    return new ReadableStream({
      pull: async (controller) => {
        const length = Math.min(heldBytes, this.size - at);
        if (length === 0) return controller.close();
        controller.enqueue(await this.read(at, length));
        at += length;
      },
    });
  }

  async remove(): Promise<void> {
    if (this.file === null) return;
    await this.file.close();
    await rm(this.location, { force: true });
  }

  /** Writes what is held; once the disk refuses, all that follows is held. */
  private async flush(file: FileHandle): Promise<void> {
    try {
      for (let [bytes] = this.held; bytes; [bytes] = this.held) {
        for (let from = 0; from < bytes.length;) {
          const { bytesWritten } = await file.write(bytes, from, bytes.length - from, this.written + from);
          from += bytesWritten;
        }
        this.written += bytes.length;
        this.heldSize -= bytes.length;
        this.held.shift();
      }
    } catch (error) {
      this.takes = false;
      this.log.warn({ err: error }, notWritten);
    }
  }
}

const notWritten = "series could not be written to disk; they are held in memory";

/** Removes the files of attempts that were killed and not repeated. */
async function removeLeft(folder: string): Promise<void> {
  const oldest = databaseNow().getTime() - leftMs;
  for (const name of await readdir(folder)) {
    const place = path.join(folder, name);
    // Another attempt may have ended meanwhile, and removed its own.
    const found = /^\d+-\d+$/.test(name) ? await stat(place).catch(() => null) : null;
    if (found && found.mtimeMs < oldest) await rm(place, { force: true });
  }
}
