import { randomBytes } from "node:crypto";

/**
 * How long a notification takes from another connection to the one that listens: measured by one to this process alone now
 * and then, and growing while it is under way or nobody listens. Times are in milliseconds of a clock that never goes back.
 */
export class ChangesLag {
  /** Where nobody else listens. Needs no quotes. */
  readonly channel = `muster_lag_${randomBytes(9).toString("hex")}`;
  /** Since when one is under way, or nobody listens; null while neither is so. */
  #since: number | null = null;
  #last: number | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** One is sent, or the connection was lost. A longer wait goes on. */
  begin(): void {
    this.#since ??= this.now();
  }

  /** It has arrived. */
  end(): void {
    if (this.#since === null) return;
    this.#last = this.now() - this.#since;
    this.#since = null;
  }

  /** It could not be sent, which says nothing about this connection. */
  drop(): void {
    this.#since = null;
  }

  /** Null before the first has arrived. */
  get seconds(): number | null {
    const waiting = this.#since === null ? 0 : this.now() - this.#since;
    if (this.#last === null && this.#since === null) return null;
    return Math.max(this.#last ?? 0, waiting) / 1_000;
  }
}
