import { currentScope, inScope } from "@/server/platform/request-scope";
import { findOutage, outageError } from "@/server/platform/unavailable";

interface Waiting<T> {
  item: T;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface BatchLimits {
  /** Batches processed concurrently; meanwhile, items are collected for the next one. */
  concurrency: number;
  /** Weight of the items of one batch, which has at least one. */
  size: number;
  /** Items that may wait; more are refused immediately. */
  waiting: number;
}

const unlimited: BatchLimits = { concurrency: Infinity, size: Infinity, waiting: Infinity };

/** Collects items that are added at about the same time and processes them together: one statement for hundreds. */
export class Batcher<T> {
  #waiting: Waiting<T>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running = 0;

  /** `gatherMs`: milliseconds that an item waits for others. `weigh`: what an item counts as in a batch, by default 1. */
  constructor(
    private readonly work: (items: T[]) => Promise<void>,
    private readonly gatherMs: number,
    private readonly limits: BatchLimits = unlimited,
    private readonly weigh: (item: T) => number = () => 1,
  ) {}

  /**
   * Resolves once this item has been processed; rejects when that failed, or with an outage when too many wait or the
   * request on whose behalf it was added has waited long enough.
   */
  add(item: T): Promise<void> {
    if (this.#waiting.length >= this.limits.waiting) {
      return Promise.reject(outageError(`${this.#waiting.length} items wait already`, "overloaded"));
    }
    const done = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
    return this.#limit(done, item);
  }

  /** A batch is for many requests, so it runs for none, and the limit of each is enforced here. */
  async #limit(done: Promise<void>, item: T): Promise<void> {
    const scope = currentScope();
    if (!scope) return done;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((waiting) => waiting.item !== item);
        reject(outageError("not processed in time", "timeout"));
      };
      timer = setTimeout(giveUp, Math.max(0, scope.leftMs));
    });
    scope.beginWait();
    try {
      await Promise.race([done, timeout]);
    } finally {
      clearTimeout(timer);
      scope.endWait();
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.length === 0 || this.#running >= this.limits.concurrency) return;
    this.#timer = inScope(null, () => setTimeout(() => void this.#flush(), this.gatherMs));
  }

  async #flush(): Promise<void> {
    this.#timer = undefined;
    const batch = this.#take();
    this.#running++;
    this.#schedule();
    await this.#process(batch);
    this.#running--;
    this.#schedule();
  }

  #take(): Waiting<T>[] {
    let [count, weight] = [0, 0];
    for (const { item } of this.#waiting) {
      const more = weight + this.weigh(item);
      if (count > 0 && more > this.limits.size) break;
      count++;
      weight = more;
    }
    return this.#waiting.splice(0, count);
  }

  async #process(batch: readonly Waiting<T>[]): Promise<void> {
    if (batch.length === 0) return;
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

/** Does work for items in rounds that have one of each key, in their order: none of two that exclude each other. */
export async function onceEach<T>(
  items: readonly T[],
  key: (item: T) => string,
  work: (items: T[]) => Promise<void>,
): Promise<void> {
  for (let rest = [...items]; rest.length > 0;) {
    const first = new Map(rest.toReversed().map((item) => [key(item), item]));
    await work([...first.values()]);
    rest = rest.filter((item) => first.get(key(item)) !== item);
  }
}
