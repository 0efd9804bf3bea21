import type { Hash } from "node:crypto";

/** An upload was refused; `received` is the number of bytes retained. */
export class UploadRefused extends Error {
  constructor(
    /** `gap`: begins beyond the received bytes; `long`/`short`: not the declared size; `superseded`: by a newer one. */
    readonly reason: "gap" | "long" | "short" | "superseded",
    readonly received: number,
  ) {
    super(`upload refused: ${reason}`);
    this.name = "UploadRefused";
  }
}

/** The body of an upload ended with an error: the sender is gone. */
export class UploadInterrupted extends Error {
  constructor(cause: unknown) {
    super("the body of an upload was interrupted", { cause });
    this.name = "UploadInterrupted";
  }
}

const maxHashes = 200;

interface Writer {
  arrivedAt: number;
  stop: AbortController;
  ended: Promise<unknown>;
}

/** The state of unfinished uploads in this process: the writers, and the hashes of the bytes received so far. */
export class PartialUploads {
  private readonly writers = new Map<string, Writer>();
  private readonly hashes = new Map<string, { hash: Hash; size: number }>();

  /**
   * Runs `work` as this process's only writer of a key. An earlier one, whose connection may be dead, is aborted and
   * awaited. Earlier is the one whose request came first, which may have taken longer until here.
   */
  async exclusive<T>(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    arrivedAt = performance.now(),
  ): Promise<T> {
    const earlier = this.writers.get(key);
    if (earlier && earlier.arrivedAt > arrivedAt) throw new UploadRefused("superseded", 0);
    const stop = new AbortController();
    const begin = async () => {
      earlier?.stop.abort();
      await earlier?.ended.catch(() => {});
      if (stop.signal.aborted) throw new UploadRefused("superseded", 0);
      return work(stop.signal);
    };
    const ended = begin();
    const writer = { arrivedAt, stop, ended };
    this.writers.set(key, writer);
    try {
      return await ended;
    } finally {
      if (this.writers.get(key) === writer) this.writers.delete(key);
    }
  }

  /** Caches the hash of a file of a broken upload, whose name and bytes no longer change. */
  keepHash(file: string, hash: Hash, size: number): void {
    if (this.hashes.size >= maxHashes) this.hashes.delete(this.hashes.keys().next().value ?? "");
    this.hashes.set(file, { hash, size });
  }

  /** Takes the cached hash of a file, or null if there is none or the file does not have `size` bytes. */
  takeHash(file: string, size: number): Hash | null {
    const cached = this.hashes.get(file);
    this.hashes.delete(file);
    return cached?.size === size ? cached.hash : null;
  }
}
