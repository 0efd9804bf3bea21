import { findOutage } from "@/server/platform/unavailable";

interface Waiting<T> {
  item: T;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Collects items that are added at about the same time and processes them together: one statement for hundreds. */
export class Batcher<T> {
  #waiting: Waiting<T>[] = [];

  /** `gatherMs`: milliseconds that an item waits for others. */
  constructor(
    private readonly work: (items: T[]) => Promise<void>,
    private readonly gatherMs: number,
  ) {}

  /** Resolves once this item has been processed; rejects when that failed. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setTimeout(() => void this.#flush(), this.gatherMs);
      this.#waiting.push({ item, resolve, reject });
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      await this.work(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1 || findOutage(error)) return batch.forEach(({ reject }) => reject(error));
      // One failing item must not prevent the others.
      for (const { item, resolve, reject } of batch) await this.work([item]).then(resolve, reject);
    }
  }
}
