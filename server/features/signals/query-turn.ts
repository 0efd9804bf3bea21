import { randomUUID } from "node:crypto";
import { askForTurn, askMs, endTurn, extendMs, extendTurn, stopAsking } from "@/server/features/signals/turn-queries";
import { cancelled, requireCaller, ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";

/** How long a query waits for its turn. */
const maxWaitMs = 8_000;
/** Queries of an organization that wait in one process; further ones are refused at once. */
const maxWaiting = 5;
const retryAfterSeconds = 5;

/** The queries of an organization in this process, of which the first asks the database for its turn. */
interface Line {
  length: number;
  /** Resolves when all of them have ended. */
  ended: Promise<void>;
}

const lines = processWide("queryLines", () => new Map<string, Line>());
/** Those who wait for a turn in this process, to ask at once when one ends here. */
const wakers = processWide("queryWakers", () => new Set<() => void>());

const busy = (): ServiceError =>
  new ServiceError("throttled", {
    detail: "Other queries are running. Try again in a few seconds.",
    retryAfterSeconds,
  });

interface TurnOptions {
  /** Its caller. */
  signal?: AbortSignal | undefined;
  /** Overrides the limit for tests. */
  waitMs?: number;
}

/**
 * Runs `work` while no other query of this organization runs, and at most one of another. Organizations that wait take
 * turns: each has one place, at the end when it first asks. Throws `throttled` for whoever has waited for `waitMs`, and
 * `cancelled` where the caller has gone meanwhile. The database has the turns; waiting holds no connection to it.
 */
export async function inQueryTurn<T>(
  organizationId: string,
  work: () => Promise<T>,
  { signal, waitMs = maxWaitMs }: TurnOptions = {},
): Promise<T> {
  requireCaller(signal);
  const line = lines.get(organizationId) ?? { length: 0, ended: Promise.resolve() };
  if (line.length > maxWaiting) throw busy();
  lines.set(organizationId, line);
  line.length += 1;
  const before = line.ended;
  let leave = () => {};
  const left = new Promise<void>((resolve) => (leave = resolve));
  line.ended = before.then(() => left);
  const limit = new WaitLimit(waitMs, signal);
  try {
    await limit.until(before);
    const holder = randomUUID();
    await takeTurn(organizationId, holder, limit);
    limit.end();
    return await holding(organizationId, holder, work);
  } finally {
    limit.end();
    line.length -= 1;
    if (line.length === 0) lines.delete(organizationId);
    leave();
  }
}

/** Asks until the turn has come. Throws as `inQueryTurn`. */
async function takeTurn(organizationId: string, holder: string, limit: WaitLimit): Promise<void> {
  try {
    while (!(await askForTurn(organizationId, holder))) await limit.until(pause());
  } catch (error) {
    await stopAsking(organizationId).catch(() => {});
    throw error;
  }
}

/** Runs `work` and extends its turn meanwhile. */
async function holding<T>(organizationId: string, holder: string, work: () => Promise<T>): Promise<T> {
  const failed = (error: unknown): void => logFor("query").warn({ err: error }, "the turn of a query was not kept");
  const extend = setInterval(() => void extendTurn(organizationId, holder).catch(failed), extendMs);
  try {
    return await work();
  } finally {
    clearInterval(extend);
    // Without the database it ends by itself.
    await endTurn(organizationId, holder).catch(failed);
    for (const wake of wakers) wake();
  }
}

/** Resolves when a turn has ended in this process, or it is time to ask whether one has in another. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      wakers.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, askMs);
    wakers.add(wake);
  });
}

/** What a query waits with: until its time is over or its caller goes. */
class WaitLimit {
  private readonly over: Promise<never>;
  readonly end: () => void;

  constructor(waitMs: number, signal: AbortSignal | undefined) {
    let lose = (_: ServiceError): void => {};
    this.over = new Promise<never>((_, reject) => (lose = reject));
    this.over.catch(() => {});
    const timer = setTimeout(() => lose(busy()), waitMs);
    const go = (): void => lose(cancelled());
    signal?.addEventListener("abort", go, { once: true });
    this.end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", go);
    };
  }

  /** Waits for something. Rejects with `throttled` or `cancelled` when that takes too long. */
  async until(event: Promise<void>): Promise<void> {
    await Promise.race([event, this.over]);
  }
}
