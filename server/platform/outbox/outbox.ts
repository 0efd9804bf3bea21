import { setTimeout as sleep } from "node:timers/promises";
import { databaseNow } from "@/server/platform/clock";
import { failure, type Outcome } from "@/server/platform/http-client/post";
import { logFor, type Log } from "@/server/platform/log";
import { metrics } from "@/server/platform/metrics";
import { Batcher } from "@/server/platform/outbox/batcher";
import type { Claim, Noted, OutboxDefinition } from "@/server/platform/outbox/definition";
import { claimRows, dueRows, noteOutcomes } from "@/server/platform/outbox/queries";
import { nextDelay } from "@/server/platform/outbox/retry";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { uuidv7 } from "@/server/platform/uid";
import { findOutage } from "@/server/platform/unavailable";

interface TargetState {
  /** Maximum number of concurrent attempts to it. */
  limit: number;
  inFlight: number;
}

/** Maximum number of due rows read by one query. */
const candidates = 500;

/** Milliseconds: a target that responds faster gets more concurrency, one that takes longer gets less. */
const pace = { fast: 1_000, slow: 3_000 } as const;

/** Milliseconds that an outcome waits for others to be recorded with. */
const gatherMs = 10;

/** Delays in milliseconds of retries when the database was unavailable; together less than a lease. */
const noteRetryDelaysMs = [250, 1_000, 4_000] as const;

/** Above this number of targets, the state of those without attempts under way is dropped. */
const maxIdleTargets = 10_000;

/**
 * Sends due rows outside the slots of the job queue; a job only wakes it. The concurrency per target adapts to its
 * responses, down to one, so that a dead or slow receiver takes a single place and does not delay others.
 */
export class Outbox<Row extends object, Target> {
  readonly #targets = new Map<string, TargetState>();
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #noting = new Batcher<Noted<Row, Target>>((batch) => this.#note(batch), gatherMs);
  readonly #log: Log;
  #pumping: Promise<void> | null = null;
  #again = false;
  #closed = false;
  #clock = () => databaseNow();

  /** `organizationId`: null for rows of every organization. */
  constructor(
    private readonly definition: OutboxDefinition<Row, Target>,
    private readonly organizationId: string | null = null,
  ) {
    this.#log = logFor(definition.name);
  }

  /** Starts sending due rows; resolves once as many attempts as allowed are under way. */
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

  /** Starts no more attempts and waits for those under way. */
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

  /** Starts as many attempts as the limits allow; resolves to false when there is nothing more to start. */
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
    // Before the claim: should this fail, claimed rows would have to wait for the end of their lease.
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
      // The row is sent again after its lease.
      .catch((error: unknown) => this.#log.error({ err: error, uid: claim.uid }, "an outcome could not be recorded"))
      .finally(() => {
        state.inFlight--;
        this.#inFlight.delete(claim.uid);
        if (state.inFlight === 0 && this.#targets.size > maxIdleTargets) this.#targets.delete(claim.target);
        this.#lookAgain();
      });
    this.#inFlight.set(claim.uid, done);
  }

  /** Logs the failure of one query once, even if many attempts have ended meanwhile. */
  #lookAgain(): void {
    const text = "could not look for due rows";
    const warn = (error: unknown) => warnRepeated(this.#log, { err: error }, text, `${text}: ${this.definition.name}`);
    if (this.#pumping) this.#again = true;
    else this.wake().catch(warn);
  }

  async #attempt(claim: Claim<Row>, target: Target | undefined): Promise<Noted<Row, Target>> {
    const startedAt = databaseNow();
    const began = performance.now();
    const outcome = await this.#send(claim, target);
    const durationMs = Math.round(performance.now() - began);
    const { retry } = this.definition;
    const delay = outcome.ok || outcome.final ? null : nextDelay(retry, claim.attempts, outcome.retryAfterSeconds);
    const next = delay === null ? null : new Date(this.#clock().getTime() + delay);
    const result = outcome.ok ? "delivered" : next ? "retried" : "failed";
    metrics.deliveryDuration.observe({ outbox: this.definition.name, outcome: result }, durationMs / 1_000);
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
    const noted = await this.#noteWithRetries(batch);
    // The outcomes are recorded; the next one triggers the same follow-up work.
    await afterNoting?.(noted).catch((error: unknown) =>
      this.#log.error({ err: error }, "the work after recorded outcomes failed"),
    );
  }

  async #noteWithRetries(batch: readonly Noted<Row, Target>[]): Promise<Noted<Row, Target>[]> {
    for (const delay of noteRetryDelaysMs) {
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

  /** Raises the limit by one after a fast success and halves it after a sign of overload; 4xx leaves it unchanged. */
  #adapt(state: TargetState, { ok, statusCode }: Outcome, durationMs: number): void {
    const failed = !ok && (statusCode === null || statusCode >= 500 || statusCode === 429);
    if (failed || durationMs > pace.slow) state.limit = Math.max(1, Math.floor(state.limit / 2));
    else if (ok && durationMs < pace.fast) state.limit = Math.min(this.definition.concurrency.max, state.limit + 1);
  }
}
