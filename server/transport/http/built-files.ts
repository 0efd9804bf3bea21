import path from "node:path";
import sirv from "sirv";
import { listMapOrigins, type Handler } from "@/server/transport/http/pages";

const oneYearSeconds = 31_536_000;

/** The policy of the threads of pages: they compile WebAssembly, which pages may not, and connect to this server only. */
const workerPolicy = "default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** The thread of maps loads tiles, and compiles nothing. */
const tilesPolicy = (): string =>
  ["default-src 'none'; script-src 'self'; connect-src 'self'", ...listMapOrigins()].join(" ");

/** Folders of files that a build named by their content, by the paths they are served below; the first that matches. */
const listFolders = () => [
  { prefix: "/_next/static/", base: "/_next/static", folder: ".next/static", headers: {} },
  {
    prefix: "/engine/tiles.worker-",
    base: "/engine",
    folder: "public/engine",
    headers: { "content-security-policy": tilesPolicy() },
  },
  {
    prefix: "/engine/",
    base: "/engine",
    folder: "public/engine",
    headers: { "content-security-policy": workerPolicy },
  },
];

/**
 * Serves the files that builds named by their content, compressed in advance (scripts/precompress.mjs), and passes other
 * requests on to `next`. Next itself would compress every script again for each request, and only with gzip.
 */
export function builtFiles(next: Handler): Handler {
  const served = listFolders().map(({ folder, ...rest }) => ({
    ...rest,
    serve: sirv(path.resolve(folder), {
      brotli: true,
      gzip: true,
      etag: true,
      immutable: true,
      maxAge: oneYearSeconds,
    }),
  }));
  return async (request, response) => {
    const { url = "/" } = request;
    const found = served.find(({ prefix }) => url.startsWith(prefix));
    if (!found) return next(request, response);
    request.url = url.slice(found.base.length);
    response.setHeader("x-content-type-options", "nosniff");
    for (const [name, value] of Object.entries(found.headers)) response.setHeader(name, value);
    await new Promise<void>((resolve, reject) => {
      response.once("close", resolve);
      found.serve(request, response, () => {
        request.url = url;
        next(request, response).then(resolve, reject);
      });
    });
  };
}
