import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { env } from "@/server/platform/env";
import type { ServiceError } from "@/server/platform/errors";
import { processWide } from "@/server/platform/process-wide";

/** Who makes a request, as far as it is known: `anonymous` without valid credentials. */
export interface RequestCaller {
  kind: "user" | "api_key" | "device" | "anonymous" | "link";
  id: string | null;
  organizationId: string | null;
}

/** The id in a client's `X-Request-Id`, or a new one. */
export const chooseRequestId = (given: string | null | undefined): string =>
  given && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();

/**
 * A request's time budget for the database: how long it may still wait for connections and statements in total.
 * Concurrent waits count once. It also carries what the log says about the request.
 */
export class RequestScope {
  /** The error with which it was refused because of a database outage. */
  refusal: ServiceError | null = null;
  /** Why: the kind of outage, or `service`. */
  refusalCause: string | null = null;
  /** The operation of the REST API that it was routed to, such as `devices.list`. */
  operation: string | null = null;
  /** Whether clients send such requests all the time. */
  frequent = false;
  caller: RequestCaller | null = null;
  private waitedMs = 0;
  private waiting = 0;
  private since = 0;
  private ended = false;

  constructor(
    private readonly limitMs = env.DATABASE_TIMEOUT_SECONDS * 1_000,
    readonly requestId: string = randomUUID(),
  ) {}

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
