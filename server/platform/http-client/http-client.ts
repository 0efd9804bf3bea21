import type { Readable } from "node:stream";
import { Agent, request as undiciRequest, type Dispatcher } from "undici";
import { EgressError, guardedConnector, type EgressFault } from "@/server/platform/http-client/guard";
import { checkUrl } from "@/server/platform/http-client/url";
import { processWide } from "@/server/platform/process-wide";
import { currentScope } from "@/server/platform/request-scope";

export { EgressError, isTransient } from "@/server/platform/http-client/guard";
export { checkUrl } from "@/server/platform/http-client/url";

/** How patient the outbound client is, and how much of an answer it keeps. */
export const egressLimits = { connectMs: 3_000, totalMs: 15_000, bodyMs: 3_000, responseBytes: 16 * 1024 } as const;

export interface OutboundRequest {
  url: string;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** How much of the answer is kept, in bytes; default 16 KiB. */
  responseBytes?: number;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  /** Lower-case names; the last of repeated ones. */
  headers: Readonly<Record<string, string>>;
  /** The beginning of the body, at most `responseBytes`, as text without NUL. */
  body: string;
  durationMs: number;
}

// A connection waits a second for the next request, so that a backlog does not need one a message. Servers keep theirs
// for longer: one that is used again has not been closed by its receiver in the meantime.
const keptMs = 1_000;
const agent = processWide(
  "egressAgent",
  () =>
    new Agent({
      connect: guardedConnector(egressLimits.connectMs),
      keepAliveTimeout: keptMs,
      keepAliveMaxTimeout: keptMs,
      bodyTimeout: 0,
      headersTimeout: 0,
    }),
);

/** Reads the beginning of a body, for a while; what does not end by then is cut off. */
async function readBeginning(body: Dispatcher.ResponseData["body"], max: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(), egressLimits.bodyMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= max) break;
    }
  } catch {
    // The status has come; a body that breaks off or never ends changes nothing about it.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  const bytes = Buffer.concat(chunks).subarray(0, max);
  return new TextDecoder().decode(bytes).replaceAll("\0", "");
}

/** What went wrong with a request or the body of its answer, whichever part of the way met it. */
export function toEgressError(error: unknown): EgressError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressError) return cause;
    if (cause instanceof AggregateError) {
      const own = cause.errors.find((inner: unknown) => inner instanceof EgressError);
      if (own instanceof EgressError) return own;
    }
  }
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  const name = error instanceof Error ? error.name : "";
  const fault = (kind: EgressFault, message: string) => new EgressError(kind, message, { cause: error });
  if (name === "TimeoutError" || name === "AbortError") return fault("timeout", "no answer in time");
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) return fault("timeout", "no answer in time");
  if (code === "UND_ERR_CONNECT_TIMEOUT") return fault("timeout", "no connection in time");
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return fault("tls", `TLS failed (${code})`);
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/.test(code)) {
    return fault("connect", `connection failed (${code})`);
  }
  return fault("protocol", code === "" ? "the connection broke off" : `the connection broke off (${code})`);
}

function toHeaders(response: Dispatcher.ResponseData): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(response.headers)) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) headers[header] = last;
  }
  return headers;
}

// A literal that is blocked is told like a name that resolves to it: the operator's ranges may have changed since it
// was saved.
function reachable(address: string): URL {
  const checked = checkUrl(address);
  if (!checked.ok) throw new EgressError("blocked", `blocked address: ${checked.message}`);
  return checked.url;
}

/**
 * The one way out of the house for HTTP. Sends one request to an address that may be reached (see `checkUrl`; the
 * name's addresses and the socket are checked too), follows no redirect, and waits 3 s for the connection and 15 s in
 * all. Resolves with any status once the headers are there; throws an EgressError when none came.
 */
export async function sendOutbound(outbound: OutboundRequest): Promise<OutboundAnswer> {
  const started = performance.now();
  const url = reachable(outbound.url);
  const deadline = AbortSignal.timeout(egressLimits.totalMs);
  const signal = outbound.signal ? AbortSignal.any([deadline, outbound.signal]) : deadline;
  try {
    const response = await undiciRequest(url, {
      dispatcher: agent,
      method: outbound.method ?? "POST",
      headers: { "user-agent": "Muster", accept: "*/*", "accept-encoding": "identity", ...outbound.headers },
      body: outbound.body ?? null,
      signal,
    });
    const body = await readBeginning(response.body, outbound.responseBytes ?? egressLimits.responseBytes);
    return {
      status: response.statusCode,
      headers: toHeaders(response),
      body,
      durationMs: Math.round(performance.now() - started),
    };
  } catch (error) {
    throw toEgressError(error);
  }
}

// Buckets are asked for many ranges in a row, and their clients try again by themselves: here connections are kept.
const streamingAgent = processWide(
  "egressStreamingAgent",
  () =>
    new Agent({
      connect: guardedConnector(egressLimits.connectMs),
      connections: 32,
      keepAliveTimeout: 10_000,
      headersTimeout: 60_000,
      bodyTimeout: 60_000,
    }),
);

/** While somebody waits for it; each of a few attempts. */
const requestAnswerMs = 5_000;

export interface OutboundStream {
  status: number;
  /** Lower-case names; the last of repeated ones. */
  headers: Readonly<Record<string, string>>;
  /** To be read to its end or destroyed. */
  body: Readable;
}

/**
 * Like `sendOutbound`, for bodies of any size: the answer is read as it comes, and only silence ends it: of a minute,
 * or, before the headers of what a request waits for, of five seconds. Throws an EgressError when no headers came.
 */
export async function streamOutbound(
  outbound: Omit<OutboundRequest, "responseBytes" | "method"> & { method: Dispatcher.HttpMethod },
): Promise<OutboundStream> {
  const url = reachable(outbound.url);
  try {
    const response = await undiciRequest(url, {
      dispatcher: streamingAgent,
      method: outbound.method,
      headers: { "accept-encoding": "identity", ...outbound.headers },
      body: outbound.body ?? null,
      ...(currentScope() && { headersTimeout: requestAnswerMs }),
      ...(outbound.signal && { signal: outbound.signal }),
    });
    return { status: response.statusCode, headers: toHeaders(response), body: response.body };
  } catch (error) {
    throw toEgressError(error);
  }
}
