import { AsyncLocalStorage } from "node:async_hooks";
import { env } from "@/server/platform/env";
import type { ServiceError } from "@/server/platform/errors";
import { processWide } from "@/server/platform/process-wide";

/**
 * A request's time budget for the database: how long it may still wait for connections and statements in total.
 * Concurrent waits count once.
 */
export class RequestScope {
  /** The error with which it was refused because of a database outage. */
  refusal: ServiceError | null = null;
  private waitedMs = 0;
  private waiting = 0;
  private since = 0;
  private ended = false;

  constructor(private readonly limitMs = env.DATABASE_TIMEOUT_SECONDS * 1_000) {}

  /** Remaining time in milliseconds; 0 or negative once the budget is used up. */
  get leftMs(): number {
    return this.limitMs - this.waitedMs - (this.waiting > 0 ? performance.now() - this.since : 0);
  }

  beginWait(): void {
    if (this.waiting++ === 0) this.since = performance.now();
  }

  endWait(): void {
    if (--this.waiting === 0) this.waitedMs += performance.now() - this.since;
  }

  /** Ends the limit for work that outlives the request, such as an interval. */
  end(): void {
    this.ended = true;
  }

  get isOver(): boolean {
    return this.ended;
  }
}

const storage = processWide("requestScope", () => new AsyncLocalStorage<RequestScope | null>());

/** The request on whose behalf the caller runs; null in jobs, probes and timers. */
export function currentScope(): RequestScope | null {
  const scope = storage.getStore() ?? null;
  return scope?.isOver ? null : scope;
}

/** Runs `work` and everything it starts on behalf of a request, or of none. */
export const inScope = <T>(scope: RequestScope | null, work: () => T): T => storage.run(scope, work);
