import path from "node:path";
import sirv from "sirv";
import type { Handler } from "@/server/transport/http/pages";

const prefix = "/_next/static";
const oneYearSeconds = 31_536_000;

/**
 * Serves the files that the page build named by their content, compressed in advance (scripts/precompress.mjs), and
 * passes other requests on to `next`. Next itself would compress every script again for each request, and only with
 * gzip.
 */
export function builtFiles(next: Handler): Handler {
  const serve = sirv(path.resolve(".next/static"), {
    brotli: true,
    gzip: true,
    etag: true,
    immutable: true,
    maxAge: oneYearSeconds,
  });
  return async (request, response) => {
    const { url = "/" } = request;
    if (!url.startsWith(`${prefix}/`)) return next(request, response);
    request.url = url.slice(prefix.length);
    response.setHeader("x-content-type-options", "nosniff");
    await new Promise<void>((resolve, reject) => {
      response.once("close", resolve);
      serve(request, response, () => {
        request.url = url;
        next(request, response).then(resolve, reject);
      });
    });
  };
}
