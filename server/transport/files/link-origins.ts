import { env } from "@/server/platform/env";
import { refuse } from "@/server/transport/files/responses";

/** Seconds for which a browser remembers that it may ask. */
const maxAgeSeconds = 600;

/** The request's origin when its pages may read files by their links; null for any other. */
function findAllowedOrigin(request: Request): string | null {
  const origin = request.headers.get("origin");
  if (origin === null) return null;
  const { LINK_ORIGINS: origins, LICHTBLICK_URL: lichtblick } = env;
  return origins.includes(origin) || (lichtblick !== undefined && new URL(lichtblick).origin === origin)
    ? origin
    : null;
}

/** The answer to a browser that asks whether a page of another origin may request a file with a range. */
export function preflight(request: Request): Response {
  const origin = findAllowedOrigin(request);
  if (origin === null) return refuse(405, 'Method "OPTIONS" not allowed.', { allow: "GET, HEAD" });
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": "range, if-range",
      "access-control-max-age": String(maxAgeSeconds),
      vary: "origin",
    },
  });
}

type Act = (request: Request, ip: string | null) => Promise<Response>;

/** Lets pages of the allowed origins read the responses of `act`, with what viewers need to read a file by ranges. */
export const readableElsewhere =
  (act: Act): Act =>
  async (request, ip) => {
    const response = await act(request, ip);
    const origin = findAllowedOrigin(request);
    response.headers.append("vary", "origin");
    if (origin === null) return response;
    response.headers.set("access-control-allow-origin", origin);
    response.headers.set("access-control-expose-headers", "accept-ranges, content-range, content-length, etag");
    return response;
  };
