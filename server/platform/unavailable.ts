import { isServiceError, ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";
import { currentScope } from "@/server/platform/request-scope";

const log = logFor("database");

/** Why the database gave no result: connection lost, connection refused, timeout, or too many requests waiting. */
export type Outage = "lost" | "refused" | "timeout" | "overloaded";

const retryAfterSeconds: Record<Outage, number> = { lost: 1, refused: 2, timeout: 5, overloaded: 2 };

/** Clients that were refused together come back apart, spread over as many seconds. */
const spreadSeconds: Record<Outage, number> = { lost: 0, refused: 0, timeout: 0, overloaded: 6 };

const chooseRetryAfter = (outage: Outage): number =>
  retryAfterSeconds[outage] + Math.floor(Math.random() * (spreadSeconds[outage] + 1));

const brand = Symbol.for("muster.outage");

/** SQLSTATEs of PostgreSQL and socket error codes. SQLSTATEs not listed here are looked up by class below. */
const driverCodes: Readonly<Record<string, Outage>> = {
  "57P01": "lost", // terminated
  "57P02": "lost", // crashed
  "57P05": "lost", // idle for too long
  "57P03": "refused", // starting up or shutting down
  "08001": "refused",
  "08004": "refused",
  "08P01": "refused", // a connection pooler without a free connection
  "57014": "timeout", // statement_timeout
  "25P03": "timeout", // idle_in_transaction_session_timeout
  "25P04": "timeout", // transaction_timeout
  "55P03": "timeout", // lock_timeout
  ECONNRESET: "lost",
  EPIPE: "lost",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  ENOTFOUND: "refused",
  EAI_AGAIN: "refused",
  ETIMEDOUT: "timeout",
};
const driverClasses: Readonly<Record<string, Outage>> = {
  "08": "lost", // connection
  "28": "refused", // the role or its password was changed while the process runs
  "53": "overloaded", // resources
};

/** Messages of driver errors that have no code. */
const driverMessages: readonly (readonly [RegExp, Outage])[] = [
  [/^Connection terminated due to connection timeout$|^timeout e(xpired|xceeded)|^Query read timeout$/, "timeout"],
  [/^Connection terminated|not queryable$/, "lost"],
];

/** Codes of Prisma's errors, and kinds of its adapter's errors. */
const prismaCodes: Readonly<Record<string, Outage>> = {
  P1000: "refused",
  P1001: "refused",
  P1002: "timeout",
  P1008: "timeout",
  P1017: "lost",
  P2024: "timeout",
  P2028: "timeout",
  P2037: "overloaded",
  AuthenticationFailed: "refused",
  DatabaseNotReachable: "refused",
  ConnectionClosed: "lost",
  SocketTimeout: "timeout",
  TooManyConnections: "overloaded",
};

const toText = (value: unknown): string => (typeof value === "string" ? value : "");
const toRecord = (value: unknown): Record<string | symbol, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string | symbol, unknown>) : {};

const ofState = (code: string): Outage | null =>
  driverCodes[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? (driverClasses[code.slice(0, 2)] ?? null) : null);

/**
 * Marks an error of the driver as an outage, so that it is recognized when Prisma wraps it and is not confused with
 * the same error code of another socket. Called by the pool, where the error originates.
 */
export function markOutage(error: unknown, outage?: Outage): void {
  if (!(error instanceof Error) || brand in error) return;
  const code = "code" in error ? toText(error.code) : "";
  const found = outage ?? ofState(code) ?? driverMessages.find(([pattern]) => pattern.test(error.message))?.[1];
  if (found) Object.assign(error, { [brand]: found });
}

/** An error that reports an outage. */
export function outageError(message: string, outage: Outage): Error {
  const error = new Error(message);
  markOutage(error, outage);
  return error;
}

/** The kind of outage that an error reports; null for every other error. */
export function findOutage(error: unknown): Outage | null {
  const members = toRecord(error);
  if (brand in members) return members[brand] as Outage;
  const name = toText(members.name);
  if (name.startsWith("PrismaClient")) {
    const code = toText(members.code) || toText(members.errorCode);
    return prismaCodes[code] ?? findOutage(toRecord(members.meta).driverAdapterError);
  }
  const cause = toRecord(members.cause);
  if (name === "DriverAdapterError") return prismaCodes[toText(cause.kind)] ?? ofState(toText(cause.originalCode));
  return members.cause instanceof Error ? findOutage(members.cause) : null;
}

/**
 * The 503 refusal for an error that means "unavailable at the moment"; null for every other error. All transports use
 * it, so that an outage is never a 500.
 */
export function unavailable(error: unknown): ServiceError | null {
  const refusal = isServiceError(error) ? (error.code === "unavailable" ? error : null) : ofOutage(error);
  const scope = currentScope();
  if (refusal && scope) {
    scope.refusal = refusal;
    scope.refusalCause ??= findOutage(error) ?? "service";
  }
  return refusal;
}

function ofOutage(error: unknown): ServiceError | null {
  const outage = findOutage(error);
  if (!outage) return null;
  logOutage(outage, error);
  const refusal = new ServiceError("unavailable", { retryAfterSeconds: chooseRetryAfter(outage) });
  return withoutStack(refusal);
}

/** Drops the stack of errors that may occur by the thousand and whose stack is not informative. */
export function withoutStack<E extends Error>(error: E): E {
  error.stack = `${error.name}: ${error.message}`;
  return Object.assign(error, { digest: "unavailable" }); // the only member that Next passes to the error page
}

const windowMs = 10_000;
const counted = processWide("outageCounts", () => new Map<Outage, number>());

/** Logs the first request refused because of an outage, and every ten seconds how many followed. */
function logOutage(outage: Outage, error: unknown): void {
  const before = counted.get(outage);
  counted.set(outage, (before ?? -1) + 1);
  if (before !== undefined) return;
  log.warn({ outage, error: getLastLine(error) }, "the database is unavailable: requests are refused with 503");
  setTimeout(() => {
    const requests = counted.get(outage);
    counted.delete(outage);
    if (requests) log.warn({ outage, requests, seconds: windowMs / 1_000 }, "more requests were refused with 503");
  }, windowMs).unref();
}

/** Prisma's messages start with the quoted call; Node's errors for several addresses have only a code. */
const getLastLine = (error: unknown): string =>
  toText(toRecord(error).message).trim().split("\n").at(-1) || toText(toRecord(error).code) || String(error);

/** The response of an entry point that has no error handling of its own. */
export const unavailableResponse = (refusal: ServiceError, more: object = {}): Response =>
  Response.json(
    { ...more, ...refusal.body() },
    {
      status: 503,
      headers: { "retry-after": String(refusal.options.retryAfterSeconds ?? 5), "cache-control": "no-store" },
    },
  );

/** Reads, and retries once when the connection was lost. For reads only: a write might be applied twice. */
export async function retryRead<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (findOutage(error) !== "lost") throw error;
    return read();
  }
}
