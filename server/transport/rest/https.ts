import { env } from "@/server/platform/env";
import { errorTable } from "@/server/platform/errors";
import { unavailable, unavailableResponse } from "@/server/platform/unavailable";

export const httpsRequired = { detail: "HTTPS is required." };

/**
 * Whether a request must be refused (403) because PUBLIC_URL is https and the client used plain http. Muster itself
 * serves plain http only, so the X-Forwarded-Proto header of a trusted proxy decides.
 */
export function lacksHttps(forwardedProto: string | string[] | null | undefined): boolean {
  if (!env.PUBLIC_URL.startsWith("https:")) return false;
  return env.TRUSTED_PROXY_HOPS === 0 || String(forwardedProto).split(",").at(-1)?.trim() !== "https";
}

/**
 * Wraps a handler as a route of Next. Where Next itself listens (`npm run dev`, serverless hosting), our listener has
 * not refused plain http before.
 */
export const mount =
  <Rest extends unknown[]>(handler: (request: Request, ...rest: Rest) => Response | Promise<Response>) =>
  async (request: Request, ...rest: Rest): Promise<Response> => {
    if (lacksHttps(request.headers.get("x-forwarded-proto"))) {
      return Response.json(httpsRequired, { status: errorTable.forbidden.status });
    }
    try {
      return await handler(request, ...rest);
    } catch (error) {
      const refusal = unavailable(error);
      if (!refusal) throw error;
      return unavailableResponse(refusal);
    }
  };
