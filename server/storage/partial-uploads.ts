import type { Stats } from "node:fs";
import type { Hash } from "node:crypto";

/** Why bytes were not taken; `received` is how many are kept. */
export class UploadRefused extends Error {
  constructor(
    /** `gap`: begins beyond what is kept; `long`/`short`: not as many bytes as declared; `superseded`: a newer upload came. */
    readonly reason: "gap" | "long" | "short" | "superseded",
    readonly received: number,
  ) {
    super(`upload refused: ${reason}`);
    this.name = "UploadRefused";
  }
}

const mostHashes = 200;

/** What this process knows of unfinished uploads: who writes to which, and their hashes so far. */
export class PartialUploads {
  private readonly writers = new Map<string, { stop: AbortController; ended: Promise<unknown> }>();
  private readonly hashes = new Map<string, { hash: Hash; size: number; modifiedMs: number }>();

  /**
   * Runs `work` as the only writer of a key. An earlier one, whose connection may be long dead, is told by its signal to stop,
   * and awaited.
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

  /** Remembers the hash of an unfinished file, as long as the file stays as it is. */
  keepHash(key: string, hash: Hash, file: Stats): void {
    if (this.hashes.size >= mostHashes) this.hashes.delete(this.hashes.keys().next().value ?? "");
    this.hashes.set(key, { hash, size: file.size, modifiedMs: file.mtimeMs });
  }

  /** The hash of the first `size` bytes, when this process wrote them last and nobody touched the file since; else null. */
  takeHash(key: string, size: number, file: Stats): Hash | null {
    const kept = this.hashes.get(key);
    this.hashes.delete(key);
    return kept && kept.size === size && file.size === size && kept.modifiedMs === file.mtimeMs ? kept.hash : null;
  }
}
