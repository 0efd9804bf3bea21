import { Hono } from "hono";
import type { AnonymousCtx, Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { errorTable, invalid, isServiceError, ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { noteRefusal } from "@/server/platform/observability/access-notes";
import { countRequest, throttled, type Verdict } from "@/server/platform/rate-limit/rate-limit";
import { chooseRequestId, currentScope, type RequestCaller } from "@/server/platform/request-scope";
import { retryRead, unavailable } from "@/server/platform/unavailable";
import { clientAddress, identify, type Caller, type RequestOrigin } from "@/server/transport/rest/authenticate";
import { checkDeclaredLength, defaultMaxBodyBytes, readJson } from "@/server/transport/rest/body";
import { ConcurrencyLimit } from "@/server/transport/rest/concurrency-limit";
import type { Endpoint, RateLimitKind } from "@/server/transport/rest/endpoint";
import { performOnce, readIdempotencyKey, type Reply } from "@/server/transport/rest/idempotency";
import { JsonResponse } from "@/server/transport/rest/json-response";
import { getOrigin } from "@/server/transport/rest/own-host";
import { authorize, performEndpoint } from "@/server/transport/rest/perform";
import { checkResponse } from "@/server/transport/rest/response";

const log = logFor("rest");

const prefix = "/api/v1";

/** The HTTP server's request. Absent where Next itself listens. */
interface Bindings {
  incoming?: { socket: { remoteAddress?: string | undefined } };
}

function findRefusal(caller: Caller): ServiceError | null {
  if (caller.ctx) return null;
  const detail = {
    missing: "Authentication credentials were not provided.",
    invalid: "Invalid API key.",
    expired: "API key has expired.",
  }[caller.refusal];
  return new ServiceError("unauthenticated", { detail });
}

/** The query as input for its schema: a repeated parameter is a list, which no scalar schema accepts. */
function parseQuery(url: URL): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [key, value] of url.searchParams) {
    if (value.includes("\0") || key.includes("\0")) {
      throw invalid(key.replaceAll("\0", ""), "Null characters are not allowed.");
    }
    query[key] = key in query ? [query[key], value].flat() : value;
  }
  return query;
}

/** Turns a page's cursors into URLs with every filter of the request. */
function withPageUrls(body: unknown, url: URL, publicUrl: string): unknown {
  if (typeof body !== "object" || body === null || !("results" in body) || !("next" in body) || !("previous" in body))
    return body;
  const link = (cursor: unknown) => {
    if (typeof cursor !== "string") return null;
    const query = new URLSearchParams(url.searchParams);
    query.set("cursor", cursor);
    return `${publicUrl}${url.pathname}?${query}`;
  };
  return { ...body, next: link(body.next), previous: link(body.previous) };
}

/** Does what takes most of the time of a request, within the limit of its operation. */
type Limited = (work: () => Promise<Reply>) => Promise<Reply>;

async function perform(
  endpoint: Endpoint,
  caller: Caller,
  request: Request,
  pathParams: Record<string, string>,
  origin: RequestOrigin,
  limited: Limited,
): Promise<Reply> {
  let ctx: Ctx | AnonymousCtx = { db: prisma, ...origin };
  if (endpoint.access) {
    const refusal = findRefusal(caller);
    if (refusal || !caller.ctx) throw refusal ?? new ServiceError("unauthenticated");
    authorize(endpoint, caller.ctx);
    ctx = caller.ctx;
  } else await endpoint.admits?.(ctx);
  const url = new URL(request.url);
  const maxBytes = endpoint.maxBodyBytes ?? defaultMaxBodyBytes;
  if (!endpoint.body) checkDeclaredLength(request, maxBytes);
  const document = endpoint.body ? await readJson(request, maxBytes) : undefined;
  const input = { params: pathParams, query: endpoint.query ? parseQuery(url) : {}, body: document };
  const run = async (): Promise<Reply> => {
    const publicUrl = getOrigin(url);
    const { status, result } = await performEndpoint(endpoint, ctx, input, {
      publicUrl,
      get signal() {
        return request.signal;
      },
    });
    return { status, body: status === 204 ? null : checkResponse(endpoint, withPageUrls(result, url, publicUrl)) };
  };
  const key = endpoint.creates ? readIdempotencyKey(request.headers) : null;
  if (key === null) return limited(run);
  const repeatable = { key, caller: nameCaller(caller, origin), operation: endpoint.id, document };
  const path = url.pathname.replace(/\/$/, "") + url.search;
  return performOnce({ ...repeatable, path }, run, (error) => {
    const refusal = unavailable(error) ?? error;
    return isServiceError(refusal) ? toErrorResponse(refusal, origin.requestId) : null;
  });
}

/** Who repeats a request: a person in one organization by any of their keys, a device, or an address. */
const nameCaller = ({ ctx, limitedAs, limitKey }: Caller, { ip }: RequestOrigin): string =>
  ctx ? `${ctx.organizationId} ${limitedAs} ${limitKey}` : `address ${ip ?? "unknown"}`;

function toErrorResponse(thrown: unknown, requestId: string): Reply {
  const error = unavailable(thrown) ?? thrown;
  if (!isServiceError(error)) {
    log.error({ err: error, request_id: requestId }, "request failed");
    return { status: 500, body: { detail: "A server error occurred." } };
  }
  const { status } = errorTable[error.code];
  const headers: Record<string, string> = {};
  if (error.options.allow) headers.allow = error.options.allow.join(", ");
  const { retryAfterSeconds = status === 503 ? 5 : undefined } = error.options;
  if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
  if (status === 413) headers.connection = "close";
  return { status, body: error.body(), headers };
}

/** For the log: whose key or token it was, valid or not any more. */
function describeCaller(caller: Caller): RequestCaller {
  const known = caller.ctx ?? caller.known;
  const kind = caller.ctx ? (caller.limitedAs === "device" ? "device" : "api_key") : "anonymous";
  return { kind, id: known?.actor.id ?? null, organizationId: known?.organizationId ?? null };
}

/** How to authenticate, for a 401. */
function challenge({ bearerKeys }: Routed, caller: Caller | null): string {
  const apiKey = 'ApiKey header="X-Service-Api-Key"';
  if (!bearerKeys) return apiKey;
  const wasSent = caller?.refusal === "invalid" || caller?.refusal === "expired";
  return `Bearer realm="Muster"${wasSent ? ', error="invalid_token"' : ""}, ${apiKey}`;
}

/** Records a refusal in the audit log of the organization whose key it was; for other callers there is none. */
function noteRefused(caller: Caller | null, operation: string, request: Request, origin: RequestOrigin): void {
  const known = caller?.ctx ?? (caller && !caller.ctx ? caller.known : undefined);
  if (!known) return;
  const { organizationId, actor } = known;
  const path = `${request.method} ${new URL(request.url).pathname}`;
  noteRefusal({ organizationId, actor, ...origin }, operation, path);
}

/** What a request was routed to. */
interface Routed {
  limit?: ConcurrencyLimit | undefined;
  maxBodyBytes?: number | undefined;
  limitedAs: RateLimitKind | "unrouted";
  /** For the audit log. */
  operation: string;
  frequent?: boolean | undefined;
  bearerKeys?: boolean | undefined;
}
const unrouted: Routed = { limitedAs: "unrouted", operation: "unrouted" };

/** The bytes of a body, which without a declared length may be as large as any. */
function declaredBytes(request: Request, maxBytes: number): number {
  const declared = request.headers.get("content-length");
  if (declared === null) return request.body ? maxBytes : 0;
  return Math.min(maxBytes, Number(declared));
}

/** Processes one request: identifies and counts it, then calls `act` (the endpoint, or a 404 or 405) and responds. */
async function respond(
  request: Request,
  bindings: Bindings | undefined,
  routed: Routed,
  act: (caller: Caller, origin: RequestOrigin, limited: Limited) => Promise<Reply>,
): Promise<Response> {
  const { limit, maxBodyBytes = defaultMaxBodyBytes, limitedAs, operation } = routed;
  const scope = currentScope();
  const requestId = scope?.requestId ?? chooseRequestId(request.headers.get("x-request-id"));
  if (scope) Object.assign(scope, { operation, frequent: routed.frequent ?? false });
  const origin = { ip: clientAddress(request.headers, bindings?.incoming?.socket.remoteAddress ?? null), requestId };
  let response: Reply;
  let verdict = null as Verdict | null;
  let caller = null as Caller | null;
  let place = null as ReturnType<ConcurrencyLimit["enter"]> | null;
  const limited: Limited = (work) => (limit && place ? limit.run(place, work) : work());
  const attempt = async (): Promise<Reply> => {
    place ??= limit?.enter(declaredBytes(request, maxBodyBytes)) ?? null;
    caller ??= await identify(request.headers, origin, routed.bearerKeys);
    if (scope) scope.caller = describeCaller(caller);
    verdict ??= await countRequest(
      limitedAs === "signup" || limitedAs === "inference" ? limitedAs : caller.limitedAs,
      limitedAs === "signup" ? (origin.ip ?? "unknown") : caller.limitKey,
    );
    // An unknown path or method is refused as such even for a caller over its limit.
    if (verdict.retryAfterSeconds !== null && limitedAs !== "unrouted") throw throttled(verdict.retryAfterSeconds);
    return act(caller, origin, limited);
  };
  try {
    response = await (request.method === "GET" || request.method === "HEAD" ? retryRead(attempt) : attempt());
  } catch (error) {
    response = toErrorResponse(error, requestId);
    if (response.status === 401 || response.status === 403) noteRefused(caller, operation, request, origin);
    if (response.status === 401)
      response.headers = { ...response.headers, "www-authenticate": challenge(routed, caller) };
  } finally {
    if (place) limit?.leave(place);
  }
  const headers = {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    ...response.headers,
    ...(verdict && {
      "x-ratelimit-limit": String(verdict.limit),
      "x-ratelimit-remaining": String(verdict.remaining),
      "x-ratelimit-reset": String(verdict.resetAt),
    }),
  };
  if (response.status === 204) return new Response(null, { status: 204, headers });
  return new JsonResponse(response.body, { status: response.status, headers });
}

/** Sorts literal segments before parameters, so that `/alerts/channels/` is not matched as an alert. */
const bySpecificity = (a: string, b: string): number => {
  const weight = (path: string) => path.replaceAll(/\{[^}]+\}/g, "~");
  return weight(a) < weight(b) ? -1 : 1;
};

/**
 * Creates a Hono app with a route for every operation and for their description, and 404 and 405 for unknown paths and
 * methods.
 */
export function restRouter(
  endpoints: readonly Endpoint[],
  describe: (origin: string) => Record<string, unknown>,
): Hono<{ Bindings: Bindings }> {
  const hono = new Hono<{ Bindings: Bindings }>();
  const byPath = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      byPath.set(path, [...(byPath.get(path) ?? []), endpoint]);
    }
  }
  for (const path of [...byPath.keys()].sort(bySpecificity)) {
    const served = byPath.get(path) ?? [];
    const bare = prefix + path.replace(/\/$/, "").replaceAll(/\{(\w+)\}/g, ":$1");
    const routes = [`${bare}/`, bare];
    for (const endpoint of served) {
      const { id, rateLimit = "default", bearerKeys, frequent, concurrency, maxBodyBytes } = endpoint;
      const limit = concurrency === undefined ? undefined : new ConcurrencyLimit(id, concurrency);
      const routed: Routed = { limit, maxBodyBytes, limitedAs: rateLimit, operation: id, bearerKeys, frequent };
      hono.on(endpoint.method, routes, (c) =>
        respond(c.req.raw, c.env, routed, (caller, origin, limited) =>
          perform(endpoint, caller, c.req.raw, c.req.param(), origin, limited),
        ),
      );
    }
    const allow = served.map((endpoint) => endpoint.method as string);
    if (allow.includes("GET")) allow.push("HEAD");
    for (const route of routes)
      hono.all(route, (c) =>
        respond(c.req.raw, c.env, unrouted, () => {
          const detail = `Method "${c.req.method}" not allowed.`;
          return Promise.reject(new ServiceError("method_not_allowed", { detail, allow: allow.sort() }));
        }),
      );
  }
  for (const path of ["/openapi.json", "/openapi.json/"]) {
    hono.get(prefix + path, (c) =>
      respond(c.req.raw, c.env, { limitedAs: "default", operation: "openapi" }, () => {
        return Promise.resolve({ status: 200, body: describe(getOrigin(new URL(c.req.url))) });
      }),
    );
  }
  hono.notFound((c) => respond(c.req.raw, c.env, unrouted, () => Promise.reject(new ServiceError("not_found"))));
  return hono;
}
