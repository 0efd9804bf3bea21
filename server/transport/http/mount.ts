import { errorTable, type ServiceError } from "@/server/platform/errors";
import { chooseRequestId, currentScope, inScope, RequestScope } from "@/server/platform/request-scope";
import { unavailable, unavailableResponse } from "@/server/platform/unavailable";
import { findEntry } from "@/server/transport/http/entries";
import { refuseHead } from "@/server/transport/http/guard";

/** The headers of a refusal. */
export const refusalHeaders = ({ options }: ServiceError): Record<string, string> => ({
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  ...(options.retryAfterSeconds !== undefined && { "retry-after": String(options.retryAfterSeconds) }),
});

async function findRefusal(request: Request): Promise<ServiceError | null> {
  const { method, headers } = request;
  const { pathname, search } = new URL(request.url);
  return refuseHead(findEntry(method, pathname), { method, url: pathname + search, headers, address: null });
}

/**
 * Wraps a handler as a route of Next. Where Next itself listens (`npm run dev`, serverless hosting), our listener has
 * not checked the request before.
 */
export const mount =
  <Rest extends unknown[]>(handler: (request: Request, ...rest: Rest) => Response | Promise<Response>) =>
  async (request: Request, ...rest: Rest): Promise<Response> => {
    try {
      if (currentScope()) return await handler(request, ...rest);
      const requestId = chooseRequestId(request.headers.get("x-request-id"));
      return await inScope(new RequestScope(undefined, requestId), async () => {
        const refusal = await findRefusal(request);
        if (!refusal) return handler(request, ...rest);
        const { status } = errorTable[refusal.code];
        return Response.json(refusal.body(), { status, headers: refusalHeaders(refusal) });
      });
    } catch (error) {
      const refusal = unavailable(error);
      if (!refusal) throw error;
      return unavailableResponse(refusal);
    }
  };
