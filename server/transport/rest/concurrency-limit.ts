import { ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { currentScope } from "@/server/platform/request-scope";
import { withoutStack } from "@/server/platform/unavailable";

const log = logFor("rest");

/** Assumed time between the ends of two requests, before it was measured. */
const assumedMs = 10;
/** How long it is measured, and after how long without a refusal it is measured anew, in milliseconds. */
const measuredMs = 10_000;
const pauseMs = 2_000;
const maxRetrySeconds = 60;

/** How long a request is counted while its body comes, in milliseconds: a slow sender takes no place from others. */
const graceMs = 1_000;
/** Those that were refused come back faster than requests were completed before: what has room is not to wait. */
const haste = 1.5;

/** What a process works on at a time. */
export interface Concurrency {
  requests: number;
  /** Of their bodies; a larger one is let in when there is no other. */
  bytes: number;
}

/** A request that was let in. */
interface Place {
  since: number;
  bytes: number;
}

/**
 * Limits how many requests of an operation, and bytes of their bodies, a process works on at a time. Those beyond are
 * refused (503) before anything is done for them, and come back one after the other as fast as requests are completed: if
 * all came back soon, refusing them again and again would leave no time for the others.
 */
export class ConcurrencyLimit {
  /** Let in, and on their way to what takes most time, in the order of coming. */
  readonly #entering = new Set<Place>();
  readonly #running = new Set<Place>();
  #bytes = 0;
  /** The mean time between the ends of two requests when there are as many as may be. */
  #intervalMs = assumedMs;
  #measured = { since: -Infinity, ends: 0 };
  #lastRefusal = -Infinity;
  /** Until when all that can be completed is given to those that were refused. */
  #givenUntil = -Infinity;

  /** `now`: milliseconds of a clock that only goes forward. */
  constructor(
    private readonly operation: string,
    private readonly limit: Concurrency,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Lets a request with so many bytes in, which has to `leave`. Throws `unavailable` with the seconds after which there will
   * be room.
   */
  enter(bytes: number): Place {
    const now = this.now();
    for (const place of this.#entering) {
      if (place.since > now - graceMs) break;
      this.#take(this.#entering, place);
    }
    const requests = this.#running.size + this.#entering.size;
    const isFull = requests >= this.limit.requests || (requests > 0 && this.#bytes + bytes > this.limit.bytes);
    if (isFull) throw this.#refuse(now);
    const place = { since: now, bytes };
    this.#put(this.#entering, place);
    return place;
  }

  /** Does the work of a request that was let in. */
  async run<T>(place: Place, work: () => Promise<T>): Promise<T> {
    this.#take(this.#entering, place);
    this.#put(this.#running, place);
    try {
      return await work();
    } finally {
      this.#take(this.#running, place);
      this.#measured.ends++;
    }
  }

  leave(place: Place): void {
    this.#take(this.#entering, place);
  }

  #put(places: Set<Place>, place: Place): void {
    places.add(place);
    this.#bytes += place.bytes;
  }

  #take(places: Set<Place>, place: Place): void {
    if (places.delete(place)) this.#bytes -= place.bytes;
  }

  #refuse(now: number): ServiceError {
    this.#measure(now);
    this.#givenUntil = Math.max(this.#givenUntil, now) + this.#intervalMs / haste;
    const scope = currentScope();
    if (scope) scope.refusalCause = "overloaded";
    warnRepeated(log, { operation: this.operation }, "too many requests of an operation: more are refused with 503");
    return withoutStack(new ServiceError("unavailable", { retryAfterSeconds: toRetryAfter(this.#givenUntil - now) }));
  }

  /** While requests are refused, those that end are as many as can be completed. */
  #measure(now: number): void {
    if (now - this.#lastRefusal > pauseMs) this.#measured = { since: now, ends: 0 };
    this.#lastRefusal = now;
    const { since, ends } = this.#measured;
    // They end in bursts, of which one is at most as many as there may be.
    if (ends < 2 * this.limit.requests) return;
    this.#intervalMs = (now - since) / ends;
    if (now - since > measuredMs) this.#measured = { since: now, ends: 0 };
  }
}

/** Whole seconds; who would wait too long comes back at a time of its own. */
function toRetryAfter(ms: number): number {
  const seconds = Math.ceil(ms / 1_000);
  return seconds <= maxRetrySeconds ? seconds : Math.ceil(maxRetrySeconds * (0.5 + Math.random() / 2));
}
