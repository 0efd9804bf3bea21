import type { Readable } from "node:stream";
import { Agent, request as undiciRequest, type Dispatcher } from "undici";
import { answerAsDemoReceiver, isDemoReceiver } from "@/domain/demo/receiver";
import { EgressError, guardedConnector, type EgressFault } from "@/server/platform/http-client/guard";
import { checkUrl } from "@/server/platform/http-client/url";
import { processWide } from "@/server/platform/process-wide";
import { currentScope } from "@/server/platform/request-scope";
import { startSpan, traced } from "@/server/platform/tracing";

export { EgressError, isTransient } from "@/server/platform/http-client/guard";
export { checkReceiver, checkUrl } from "@/server/platform/http-client/url";

/** Timeouts of the outbound client, and the number of bytes it reads of a response body. */
export const egressLimits = { connectMs: 3_000, totalMs: 15_000, bodyMs: 3_000, responseBytes: 16 * 1024 } as const;

export interface OutboundRequest {
  url: string;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** How much of the response body is read, in bytes; default 16 KiB. */
  responseBytes?: number;
  /** Milliseconds that the request and its response may take in all; default 15 s, of which the body 3 s. */
  totalMs?: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** Lower-case names; the last of repeated ones. */
  headers: Readonly<Record<string, string>>;
  /** The beginning of the body, at most `responseBytes`, as text without NUL. */
  body: string;
  durationMs: number;
}

// Idle connections stay open for a second, so that a backlog does not need one per message. Servers keep them open for
// longer, so a reused connection has not been closed by the receiver in the meantime.
const keepAliveMs = 1_000;
const agent = processWide(
  "egressAgent",
  () =>
    new Agent({
      connect: guardedConnector(egressLimits.connectMs),
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      bodyTimeout: 0,
      headersTimeout: 0,
    }),
);

/** Reads at most `max` bytes of a body, for a limited time; returns what was received until then. */
async function readBeginning(body: Dispatcher.ResponseData["body"], max: number, ms: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(), ms);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= max) break;
    }
  } catch {
    // The status has been received; an incomplete body does not change the result.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  const bytes = Buffer.concat(chunks).subarray(0, max);
  return new TextDecoder().decode(bytes).replaceAll("\0", "");
}

/** Converts any error of a request or of its response's body to an EgressError. */
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

// Checked again although URLs are checked when they are saved: the permitted ranges may have changed since.
function requirePermittedUrl(address: string): URL {
  const checked = checkUrl(address);
  if (!checked.ok) throw new EgressError("blocked", `blocked address: ${checked.message}`);
  return checked.url;
}

/** What the demo fleet sends is answered in this process: only its rows hold the address (see `checkReceiver`). */
function sendToDemo({ url, body = "" }: OutboundRequest, started: number): OutboundResponse {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const answer = answerAsDemoReceiver(new URL(url).pathname, text);
  return {
    status: answer.status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(answer.body),
    durationMs: Math.round(performance.now() - started),
  };
}

/** Only the host: webhook addresses have secrets in their paths. */
const startRequestSpan = (method: string, { protocol, hostname, port }: URL) =>
  startSpan(method, "client", {
    "http.request.method": method,
    "url.scheme": protocol.slice(0, -1),
    "server.address": hostname,
    ...(port !== "" && { "server.port": Number(port) }),
  });

const describeResponse = ({ statusCode }: Dispatcher.ResponseData) => ({ "http.response.status_code": statusCode });

/** Headers of every request, unless a caller sets its own. */
export const egressHeaders = { "user-agent": "Muster", accept: "*/*", "accept-encoding": "identity" } as const;

/**
 * Sends one request to a permitted address (see `checkUrl`; the name's addresses and the socket are checked too). All
 * short outbound HTTP uses it. Follows no redirect and waits 3 s for the connection and 15 s in total, or `totalMs`. Resolves with
 * any status; throws an EgressError when no headers are received.
 */
export async function sendOutbound(outbound: OutboundRequest): Promise<OutboundResponse> {
  const started = performance.now();
  if (isDemoReceiver(outbound.url)) return sendToDemo(outbound, started);
  const url = requirePermittedUrl(outbound.url);
  const { totalMs = egressLimits.totalMs } = outbound;
  const deadline = AbortSignal.timeout(totalMs);
  const signal = outbound.signal ? AbortSignal.any([deadline, outbound.signal]) : deadline;
  try {
    const method = outbound.method ?? "POST";
    const send = () =>
      undiciRequest(url, {
        dispatcher: agent,
        method,
        headers: { ...egressHeaders, ...outbound.headers },
        body: outbound.body ?? null,
        signal,
      });
    const response = await traced(startRequestSpan(method, url), send, describeResponse);
    const bodyMs = outbound.totalMs ?? egressLimits.bodyMs;
    const body = await readBeginning(response.body, outbound.responseBytes ?? egressLimits.responseBytes, bodyMs);
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

// Bucket clients request many ranges in succession and retry by themselves, so connections stay open for longer here.
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

/** Timeout of each of a few attempts while a request to Muster waits for it. */
const requestHeadersMs = 5_000;

export interface OutboundStream {
  status: number;
  /** Lower-case names; the last of repeated ones. */
  headers: Readonly<Record<string, string>>;
  /** Must be read to its end or destroyed. */
  body: Readable;
}

type StreamedRequest = Omit<OutboundRequest, "responseBytes" | "method"> & { method: Dispatcher.HttpMethod };

async function stream(url: URL, outbound: StreamedRequest, dispatcher: Dispatcher): Promise<OutboundStream> {
  try {
    const { method } = outbound;
    const send = () =>
      undiciRequest(url, {
        dispatcher,
        method,
        headers: { "accept-encoding": "identity", ...outbound.headers },
        body: outbound.body ?? null,
        ...(currentScope() && { headersTimeout: requestHeadersMs }),
        ...(outbound.signal && { signal: outbound.signal }),
      });
    const response = await traced(startRequestSpan(method, url), send, describeResponse);
    return { status: response.statusCode, headers: toHeaders(response), body: response.body };
  } catch (error) {
    throw toEgressError(error);
  }
}

/**
 * Like `sendOutbound`, for streamed bodies of any size without a total timeout. The idle timeout is one minute, or five
 * seconds for the headers while a request waits. Throws an EgressError when no headers are received.
 */
export const streamOutbound = async (outbound: StreamedRequest): Promise<OutboundStream> =>
  stream(requirePermittedUrl(outbound.url), outbound, streamingAgent);

const trustedAgent = processWide(
  "trustedStreamingAgent",
  () =>
    new Agent({
      connect: { timeout: egressLimits.connectMs },
      connections: 64,
      keepAliveTimeout: 10_000,
      headersTimeout: 60_000,
      bodyTimeout: 60_000,
    }),
);

/** Like `streamOutbound`, to any address: only for those that the operator has set. */
export const streamTrusted = (outbound: StreamedRequest): Promise<OutboundStream> =>
  stream(new URL(outbound.url), outbound, trustedAgent);
