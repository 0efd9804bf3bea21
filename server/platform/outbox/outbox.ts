import { setTimeout as sleep } from "node:timers/promises";
import { failure, type Outcome } from "@/server/platform/http-client/post";
import { logFor, type Log } from "@/server/platform/log";
import { Batcher } from "@/server/platform/outbox/batcher";
import type { Claim, Noted, OutboxDefinition } from "@/server/platform/outbox/definition";
import { claimRows, dueRows, noteOutcomes } from "@/server/platform/outbox/queries";
import { nextDelay } from "@/server/platform/outbox/retry";
import { uuidv7 } from "@/server/platform/uid";
import { findOutage } from "@/server/platform/unavailable";

interface TargetState {
  /** How many attempts to it may be under way. */
  limit: number;
  inFlight: number;
}

/** Rows looked at in one go. */
const candidates = 500;

/** Milliseconds: what answers faster may get more at the same time, what takes longer gets less. */
const pace = { fast: 1_000, slow: 3_000 } as const;

/** Milliseconds that an outcome waits for others to be written down with. */
const gatherMs = 10;

/** Milliseconds after which an outcome is written again when the database was away; together less than a lease. */
const noteAgainMs = [250, 1_000, 4_000] as const;

/** Targets remembered while nothing is sent to them. */
const maxIdleTargets = 10_000;

/**
 * Sends what is due, outside the slots of the job queue: a job only wakes it. How much goes to one target at the same
 * time adapts to how it fares, down to one, so that a dead or slow receiver holds a single place and delays nobody.
 */
export class Outbox<Row extends object, Target> {
  readonly #targets = new Map<string, TargetState>();
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #noting = new Batcher<Noted<Row, Target>>((batch) => this.#note(batch), gatherMs);
  readonly #log: Log;
  #pumping: Promise<void> | null = null;
  #again = false;
  #closed = false;
  #clock = () => new Date();

  /** `organizationId`: null for rows of every organization. */
  constructor(
    private readonly definition: OutboxDefinition<Row, Target>,
    private readonly organizationId: string | null = null,
  ) {
    this.#log = logFor(definition.name);
  }

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
    const { definition } = this;
    const { total, max } = definition.concurrency;
    const room = total - this.#inFlight.size;
    if (room <= 0) return false;
    const at = this.#clock();
    const due = await dueRows(
      definition,
      at,
      {
        fullTargets: [...this.#targets].filter(([, { inFlight, limit }]) => inFlight >= limit).map(([uid]) => uid),
        exceptRows: [...this.#inFlight.keys()],
        maxPerTarget: max,
        organizationId: this.organizationId,
      },
      candidates,
    );
    const chosen: string[] = [];
    const counts = new Map<string, number>();
    for (const { uid, target } of due) {
      const { inFlight, limit } = this.#getState(target);
      const count = counts.get(target) ?? 0;
      if (chosen.length >= room || inFlight + count >= limit) continue;
      counts.set(target, count + 1);
      chosen.push(uid);
    }
    if (chosen.length === 0) return false;
    // Before the claim: what is claimed and not sent waits for its lease.
    const targets = await definition.loadTargets([...counts.keys()]);
    for (const claim of await claimRows(definition, chosen, at)) this.#start(claim, targets.get(claim.target));
    return true;
  }

  #start(claim: Claim<Row>, target: Target | undefined): void {
    const state = this.#getState(claim.target);
    state.inFlight++;
    const done = this.#attempt(claim, target)
      .then((attempt) => {
        this.#adapt(state, attempt.outcome, attempt.durationMs);
        return this.#noting.add(attempt);
      })
      // The lease runs out by itself, and another attempt is made then.
      .catch((error: unknown) => this.#log.error({ err: error, uid: claim.uid }, "an outcome could not be noted"))
      .finally(() => {
        state.inFlight--;
        this.#inFlight.delete(claim.uid);
        if (state.inFlight === 0 && this.#targets.size > maxIdleTargets) this.#targets.delete(claim.target);
        this.#lookAgain();
      });
    this.#inFlight.set(claim.uid, done);
  }

  /** Failures of one look are logged once, however many attempts ended meanwhile. */
  #lookAgain(): void {
    if (this.#pumping) this.#again = true;
    else this.wake().catch((error: unknown) => this.#log.warn({ err: error }, "could not look for what is due"));
  }

  async #attempt(claim: Claim<Row>, target: Target | undefined): Promise<Noted<Row, Target>> {
    const startedAt = new Date();
    const began = performance.now();
    const outcome = await this.#send(claim, target);
    const durationMs = Math.round(performance.now() - began);
    const { retry } = this.definition;
    const delay = outcome.ok || outcome.final ? null : nextDelay(retry, claim.attempts, outcome.retryAfterSeconds);
    const next = delay === null ? null : new Date(this.#clock().getTime() + delay);
    return { uid: uuidv7(), claim, target, outcome, startedAt, durationMs, next };
  }

  async #send(claim: Claim<Row>, target: Target | undefined): Promise<Outcome> {
    if (target === undefined) return failure("The receiver was deleted.", { final: true });
    try {
      return await this.definition.send(claim, target);
    } catch (error) {
      this.#log.error({ err: error, uid: claim.uid }, "an attempt failed unexpectedly");
      return failure(this.definition.unsent);
    }
  }

  async #note(batch: readonly Noted<Row, Target>[]): Promise<void> {
    const { afterNoting } = this.definition;
    const noted = await this.#noteAgain(batch);
    // The outcomes are kept; what follows from them is seen again at the next.
    await afterNoting?.(noted).catch((error: unknown) =>
      this.#log.error({ err: error }, "what follows from outcomes could not be done"),
    );
  }

  async #noteAgain(batch: readonly Noted<Row, Target>[]): Promise<Noted<Row, Target>[]> {
    for (const delay of noteAgainMs) {
      try {
        return await noteOutcomes(this.definition, batch);
      } catch (error) {
        if (!findOutage(error)) throw error;
        await sleep(delay);
      }
    }
    return noteOutcomes(this.definition, batch);
  }

  #getState(target: string): TargetState {
    let state = this.#targets.get(target);
    if (!state) this.#targets.set(target, (state = { limit: this.definition.concurrency.initial, inFlight: 0 }));
    return state;
  }

  /**
   * One more after a quick success, half after a sign of trouble; a plain refusal (4xx) says nothing about how much
   * fits.
   */
  #adapt(state: TargetState, { ok, statusCode }: Outcome, durationMs: number): void {
    const trouble = durationMs > pace.slow || (!ok && (statusCode === null || statusCode >= 500 || statusCode === 429));
    if (trouble) state.limit = Math.max(1, Math.floor(state.limit / 2));
    else if (ok && durationMs < pace.fast) state.limit = Math.min(this.definition.concurrency.max, state.limit + 1);
  }
}
