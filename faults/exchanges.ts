import diagnostics from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";

/** A request of this process to the product, and its response. */
export interface Exchange {
  method: string;
  path: string;
  /** Moment of `performance.now()`. */
  began: number;
  /** 0 until there is a response, and when there was none. */
  status: number;
  retryAfter: boolean;
  /** Until the response was complete; of one that is never complete, until its headers. */
  seconds: number;
  ended: boolean;
  error: string;
}

export interface Exchanges {
  list: readonly Exchange[];
  stop: () => void;
}

interface FetchMessage {
  request: { origin: unknown; method: string; path: string };
  response: { statusCode: number; headers: Buffer[] };
  error: unknown;
}

interface HttpMessage {
  request: ClientRequest;
  response: IncomingMessage;
  error: unknown;
}

/** Records every request that this process sends to `url`, by `fetch` or `node:http`, whoever sends it. */
export function recordExchanges(url: string): Exchanges {
  const list: Exchange[] = [];
  const byRequest = new WeakMap<object, Exchange>();
  const { host } = new URL(url);

  const begin = (request: object, method: string, path: string) => {
    const exchange = { method, path, began: performance.now(), status: 0, retryAfter: false, seconds: 0 };
    byRequest.set(request, list[list.push({ ...exchange, ended: false, error: "" }) - 1]!);
  };
  const update = (request: object, change: Partial<Exchange>) => {
    const exchange = byRequest.get(request);
    if (exchange) Object.assign(exchange, { seconds: (performance.now() - exchange.began) / 1_000, ...change });
  };
  /** Also when the reader cancels a response, whose status is known by then. */
  const fail = (request: object, error: unknown) => {
    const exchange = byRequest.get(request);
    if (exchange && !exchange.ended) update(request, { ended: true, error: String(error) });
  };

  const handlers: Record<string, (message: unknown) => void> = {
    "undici:request:create": (message) => {
      const { request } = message as FetchMessage;
      if (String(request.origin) === new URL(url).origin) begin(request, request.method, request.path);
    },
    "undici:request:headers": (message) => {
      const { request, response } = message as FetchMessage;
      const names = response.headers.filter((_, at) => at % 2 === 0).map((name) => String(name).toLowerCase());
      update(request, { status: response.statusCode, ended: true, retryAfter: names.includes("retry-after") });
    },
    "undici:request:trailers": (message) => {
      const { request } = message as FetchMessage;
      update(request, { ended: true });
    },
    "undici:request:error": (message) => {
      const { request, error } = message as FetchMessage;
      fail(request, error);
    },
    "http.client.request.start": (message) => {
      const { request } = message as HttpMessage;
      if (request.getHeader("host") === host) begin(request, request.method, request.path);
    },
    "http.client.response.finish": (message) => {
      const { request, response } = message as HttpMessage;
      const retryAfter = response.headers["retry-after"] !== undefined;
      update(request, { status: response.statusCode ?? 0, ended: true, retryAfter });
    },
    "http.client.request.error": (message) => {
      const { request, error } = message as HttpMessage;
      fail(request, error);
    },
  };
  for (const [name, handler] of Object.entries(handlers)) diagnostics.subscribe(name, handler);
  return {
    list,
    stop: () => {
      for (const [name, handler] of Object.entries(handlers)) diagnostics.unsubscribe(name, handler);
    },
  };
}

/** How many exchanges had each status, such as `200: 812, 503: 44`. */
export function countStatuses(exchanges: readonly Exchange[]): string {
  const counts = new Map<number, number>();
  for (const { status } of exchanges) counts.set(status, (counts.get(status) ?? 0) + 1);
  const entries = [...counts].sort(([a], [b]) => a - b);
  return entries.map(([status, count]) => `${status === 0 ? "none" : status}: ${count}`).join(", ");
}

/** One line about an exchange. */
export const describeExchange = ({ method, path, status, seconds, error }: Exchange): string =>
  `${method} ${path.slice(0, 80)}: ${status === 0 ? "no response" : status} after ${seconds.toFixed(1)} s ${error}`.trim();
