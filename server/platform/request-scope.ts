import { AsyncLocalStorage } from "node:async_hooks";
import { env } from "@/server/platform/env";
import type { ServiceError } from "@/server/platform/errors";
import { processWide } from "@/server/platform/process-wide";

/**
 * One request as the database sees it: how long it may still wait for connections and statements, all of them together.
 * Statements that wait at the same time count once.
 */
export class RequestScope {
  /** Why it could not be answered, once that is known. */
  refusal: ServiceError | null = null;
  private waitedMs = 0;
  private waiting = 0;
  private since = 0;
  private ended = false;

  constructor(private readonly limitMs = env.DATABASE_TIMEOUT_SECONDS * 1_000) {}

  /** In milliseconds; not above 0 when it has waited long enough. */
  get leftMs(): number {
    return this.limitMs - this.waitedMs - (this.waiting > 0 ? performance.now() - this.since : 0);
  }

  beginWait(): void {
    if (this.waiting++ === 0) this.since = performance.now();
  }

  endWait(): void {
    if (--this.waiting === 0) this.waitedMs += performance.now() - this.since;
  }

  /** What outlives the request (an interval, a note) is limited no more. */
  end(): void {
    this.ended = true;
  }

  get isOver(): boolean {
    return this.ended;
  }
}

const storage = processWide("requestScope", () => new AsyncLocalStorage<RequestScope | null>());

/** The request on whose behalf this runs; null in jobs, probes and timers. */
export function currentScope(): RequestScope | null {
  const scope = storage.getStore() ?? null;
  return scope?.isOver ? null : scope;
}

/** Runs `work` and all that it starts on behalf of a request, or of none. */
export const inScope = <T>(scope: RequestScope | null, work: () => T): T => storage.run(scope, work);
