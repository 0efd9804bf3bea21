import type { IncomingMessage, ServerResponse } from "node:http";
import { logFor, scrubSecrets } from "@/server/platform/log";
import { metrics } from "@/server/platform/metrics";
import { noteLoad } from "@/server/platform/observability/organization-load";
import { processWide } from "@/server/platform/process-wide";
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

/** Heartbeats and polls: what programs and open pages send all the time. */
const isFrequent = ({ name }: Entry, scope: RequestScope | null, method: string): boolean =>
  scope?.frequent === true || (name === "tRPC" && method === "GET");

/** Of frequent requests that succeed in less than `slowMs`, one in so many of an operation is logged at `info`. */
const sampling = { of: 100, slowMs: 1_000 };
const counted = processWide("frequentRequests", () => new Map<string, number>());

/** Whether it is the first of its operation, or the hundredth after one that was. Operations are few. */
function isSample(operation: string): boolean {
  const before = counted.get(operation) ?? 0;
  counted.set(operation, (before + 1) % sampling.of);
  return before === 0;
}

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
  const { name } = entry;
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
    const organizationId = scope?.caller?.organizationId;
    if (organizationId && (name === "REST" || name === "tRPC" || name === "pages"))
      noteLoad(organizationId, ms / 1_000);
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
    const isRoutine = status < 400 && ms < sampling.slowMs && isFrequent(entry, scope, method);
    const sampled = isRoutine && isSample(operation ?? entry.name);
    const level = isQuiet(entry) || (isRoutine && !sampled) ? "debug" : "info";
    if (!log.isLevelEnabled(level)) return;
    const line = {
      method,
      path,
      ...(operation !== null && { operation }),
      status,
      ms: Math.round(ms * 10) / 10,
      bytes: socket.bytesWritten - sentBefore,
      ...(!response.writableFinished && { aborted: true }),
      ...(sampled && { sampled: sampling.of }),
      caller: caller?.kind ?? "anonymous",
      ...(caller?.id && { caller_id: caller.id }),
      ...(caller?.organizationId && { organization: caller.organizationId }),
      request_id: scope?.requestId,
    };
    log[level](line, "request");
  });
  return span;
}
