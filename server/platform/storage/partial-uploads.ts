import type { Hash } from "node:crypto";

/** Why bytes were not taken; `received` is how many are kept. */
export class UploadRefused extends Error {
  constructor(
    /**
     * `gap`: begins beyond what is kept; `long`/`short`: not as many bytes as declared; `superseded`: a newer upload
     * came.
     */
    readonly reason: "gap" | "long" | "short" | "superseded",
    readonly received: number,
  ) {
    super(`upload refused: ${reason}`);
    this.name = "UploadRefused";
  }
}

const maxHashes = 200;

/** What this process knows of unfinished uploads: who writes to which, and their hashes so far. */
export class PartialUploads {
  private readonly writers = new Map<string, { stop: AbortController; ended: Promise<unknown> }>();
  private readonly hashes = new Map<string, { hash: Hash; size: number }>();

  /**
   * Runs `work` as this process's only writer of a key. An earlier one, whose connection may be long dead, is told by
   * its signal to stop, and awaited.
   */
  async exclusive<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const earlier = this.writers.get(key);
    const stop = new AbortController();
    const begin = async () => {
      earlier?.stop.abort();
      await earlier?.ended.catch(() => {});
      if (stop.signal.aborted) throw new UploadRefused("superseded", 0);
      return work(stop.signal);
    };
    const ended = begin();
    const writer = { stop, ended };
    this.writers.set(key, writer);
    try {
      return await ended;
    } finally {
      if (this.writers.get(key) === writer) this.writers.delete(key);
    }
  }

  /** Remembers the hash of a kept file, whose name and bytes never change. */
  keepHash(file: string, hash: Hash, size: number): void {
    if (this.hashes.size >= maxHashes) this.hashes.delete(this.hashes.keys().next().value ?? "");
    this.hashes.set(file, { hash, size });
  }

  /** The hash of a kept file's first `size` bytes when this process wrote them and they were all; else null. */
  takeHash(file: string, size: number): Hash | null {
    const kept = this.hashes.get(file);
    this.hashes.delete(file);
    return kept?.size === size ? kept.hash : null;
  }
}
