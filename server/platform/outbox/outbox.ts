import type { Outcome } from "@/server/platform/http-client/post";
import { logFor } from "@/server/platform/log";

/** Something that waits to be sent, and to whom: targets are what concurrency is counted by. */
export interface Due {
  uid: string;
  target: string;
}

/** Rows that hold their own schedule, as an outbox sees them. */
export interface OutboxSource<Claim extends Due> {
  /** Names it in the log. */
  name: string;
  /**
   * Some of what is due at `at`: of no target in `full`, none of the rows in `except`, at most `perTarget` of each
   * target.
   */
  due: (at: Date, choice: { full: string[]; except: string[]; perTarget: number }, limit: number) => Promise<Due[]>;
  /** Takes rows for one attempt, for so long as any attempt lasts; those that somebody else took are left out. */
  claim: (uids: string[], at: Date) => Promise<Claim[]>;
  /** Makes the attempt and writes down what became of it. Throws only when that could not be noted. */
  deliver: (claim: Claim, at: () => Date) => Promise<Outcome>;
}

export interface OutboxLimits {
  /** Under way at once in this process. */
  total: number;
  /** To one target at once: to begin with, and at most. */
  first: number;
  most: number;
}

interface Target {
  limit: number;
  inFlight: number;
}

const candidatesAtOnce = 500;

/** Milliseconds: what answers faster may get more at once, what takes longer gets less. */
const pace = { fast: 1_000, slow: 3_000 } as const;

/**
 * Sends what is due, outside the slots of the job queue: a job only wakes it. How much goes to one target at once
 * adapts to how it fares, down to one, so that a dead or slow receiver holds a single place and delays nobody else.
 */
export class Outbox<Claim extends Due> {
  readonly #targets = new Map<string, Target>();
  readonly #inFlight = new Map<string, Promise<void>>();
  #pumping: Promise<void> | null = null;
  #again = false;
  #closed = false;
  #clock = () => new Date();

  constructor(
    private readonly source: OutboxSource<Claim>,
    private readonly limits: OutboxLimits,
  ) {}

  /** Looks for what is due now; resolves when what can be sent at this moment is under way. */
  wake(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = null;
    });
    return this.#pumping;
  }

  /** Sends everything that is due at `at` (default: now) and waits for it; later retries stay queued. */
  async drain(at?: Date): Promise<void> {
    const clock = this.#clock;
    if (at) this.#clock = () => at;
    try {
      for (;;) {
        await this.wake();
        if (this.#inFlight.size === 0) return;
        await Promise.all(this.#inFlight.values());
      }
    } finally {
      this.#clock = clock;
    }
  }

  /** Starts nothing more, and waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pumping?.catch(() => {});
    await Promise.all(this.#inFlight.values());
  }

  async #pump(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      while ((await this.#startSome()) && !this.#closed);
    }
  }

  /** Starts what fits; false when nothing more is due or fits. */
  async #startSome(): Promise<boolean> {
    const room = this.limits.total - this.#inFlight.size;
    if (room <= 0) return false;
    const full = [...this.#targets].filter(([, target]) => target.inFlight >= target.limit).map(([uid]) => uid);
    const at = this.#clock();
    const choice = { full, except: [...this.#inFlight.keys()], perTarget: this.limits.most };
    const due = await this.source.due(at, choice, candidatesAtOnce);
    const chosen: string[] = [];
    const taken = new Map<string, number>();
    for (const { uid, target: key } of due) {
      const target = this.#target(key);
      const count = taken.get(key) ?? 0;
      if (chosen.length >= room || target.inFlight + count >= target.limit) continue;
      taken.set(key, count + 1);
      chosen.push(uid);
    }
    if (chosen.length === 0) return false;
    for (const claim of await this.source.claim(chosen, at)) this.#start(claim);
    return true;
  }

  #start(claim: Claim): void {
    const target = this.#target(claim.target);
    target.inFlight++;
    const began = performance.now();
    const done = this.source
      .deliver(claim, this.#clock)
      .then((outcome) => this.#adapt(target, outcome, performance.now() - began))
      // The claim runs out by itself, and another attempt is made then.
      .catch((error: unknown) =>
        logFor(this.source.name).error({ err: error, delivery: claim.uid }, "what became of an attempt was not noted"),
      )
      .finally(() => {
        target.inFlight--;
        this.#inFlight.delete(claim.uid);
        if (target.inFlight === 0 && this.#targets.size > 10_000) this.#targets.delete(claim.target);
        this.wake().catch((error: unknown) =>
          logFor(this.source.name).warn({ err: error }, "could not look for what is due"),
        );
      });
    this.#inFlight.set(claim.uid, done);
  }

  #target(key: string): Target {
    let target = this.#targets.get(key);
    if (!target) this.#targets.set(key, (target = { limit: this.limits.first, inFlight: 0 }));
    return target;
  }

  /**
   * One more after a quick success, half after a sign of trouble; a plain refusal (4xx) says nothing about how much
   * fits.
   */
  #adapt(target: Target, { ok, statusCode }: Outcome, tookMs: number): void {
    const trouble = tookMs > pace.slow || (!ok && (statusCode === null || statusCode >= 500 || statusCode === 429));
    if (trouble) target.limit = Math.max(1, Math.floor(target.limit / 2));
    else if (ok && tookMs < pace.fast) target.limit = Math.min(this.limits.most, target.limit + 1);
  }
}
