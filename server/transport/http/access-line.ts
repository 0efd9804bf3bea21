import type { IncomingMessage, ServerResponse } from "node:http";
import { logFor, scrubSecrets } from "@/server/platform/log";
import { metrics } from "@/server/platform/metrics";
import type { RequestScope } from "@/server/platform/request-scope";
import { endSpan, readTraceparent, startSpan, type OpenSpan } from "@/server/platform/tracing";
import { decodePath, type Entry } from "@/server/transport/http/entries";

const log = logFor("access", {}, { fixed: true });

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const maxPath = 500;

function startRequestSpan({ method = "", headers }: IncomingMessage): OpenSpan | null {
  const parent = readTraceparent(headers.traceparent?.toString());
  return startSpan(method, "server", { "http.request.method": method }, { parent });
}

/** For the metrics: the area of a REST operation, else the entry. Few values, whatever clients send. */
const getArea = ({ name }: Entry, scope: RequestScope | null): string =>
  name === "REST" ? (scope?.operation?.split(".", 1)[0] ?? "unrouted") : name;

/** Requests that monitoring and browsers make all the time. */
const isQuiet = ({ handler, name }: Entry): boolean => handler === "probe" || name === "built files";

/**
 * Counts a request, and writes its line and ends its span once the response ended, completely or not. Returns the span,
 * which is named by then.
 */
export function observeRequest(
  entry: Entry,
  scope: RequestScope | null,
  request: IncomingMessage,
  response: ServerResponse,
): OpenSpan | null {
  const began = performance.now();
  const { socket } = request;
  const sentBefore = socket.bytesWritten;
  metrics.requestsInFlight.inc();
  const span = isQuiet(entry) ? null : startRequestSpan(request);
  response.once("close", () => {
    metrics.requestsInFlight.dec();
    const ms = performance.now() - began;
    // Without headers the client has gone, or was cut off because it was too slow.
    const status = response.headersSent ? response.statusCode : 499;
    const method = request.method ?? "";
    const area = getArea(entry, scope);
    const knownMethod = knownMethods.has(method) ? method : "other";
    metrics.requestDuration.observe({ area, method: knownMethod, status: String(status) }, ms / 1_000);
    if (status === 503) metrics.unavailable.inc({ cause: scope?.refusalCause ?? "other" });
    const path = decodePath((request.url ?? "/").split("?", 1)[0] ?? "/").slice(0, maxPath);
    const { operation = null, caller = null } = scope ?? {};
    span?.span.updateName(`${knownMethod} ${operation ?? entry.name}`);
    endSpan(span, status >= 500 ? String(status) : null, {
      "url.path": scrubSecrets(path),
      "http.response.status_code": status,
      "muster.request_id": scope?.requestId,
      ...(operation !== null && { "muster.operation": operation }),
    });
    const level = isQuiet(entry) ? "debug" : "info";
    if (!log.isLevelEnabled(level)) return;
    const line = {
      method,
      path,
      ...(operation !== null && { operation }),
      status,
      ms: Math.round(ms * 10) / 10,
      bytes: socket.bytesWritten - sentBefore,
      ...(!response.writableFinished && { aborted: true }),
      caller: caller?.kind ?? "anonymous",
      ...(caller?.id && { caller_id: caller.id }),
      ...(caller?.organizationId && { organization: caller.organizationId }),
      request_id: scope?.requestId,
    };
    log[level](line, "request");
  });
  return span;
}
