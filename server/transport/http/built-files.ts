import fs from "node:fs";
import path from "node:path";
import sirv from "sirv";
import { databaseMs } from "@/server/platform/clock";
import { listMapOrigins, type Handler } from "@/server/transport/http/pages";

const oneYearSeconds = 31_536_000;

/** The policy of the threads of pages: they compile WebAssembly, which pages may not, and connect to this server only. */
const workerPolicy = "default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** The thread of maps loads tiles, and compiles nothing. */
const tilesPolicy = (): string =>
  ["default-src 'none'; script-src 'self'; connect-src 'self'", ...listMapOrigins()].join(" ");

const dayMs = 86_400_000;

/** The build before this one (scripts/last-build.mjs), for pages that were opened before an upgrade. */
const lastBuild = "dist/last-build";

/**
 * Folders of files that a build named by their content, with those of the last build, by the paths they are served below; the
 * first that matches.
 */
const listFolders = () => [
  {
    prefix: "/_next/static/",
    base: "/_next/static",
    folder: ".next/static",
    last: `${lastBuild}/next-static`,
    headers: {},
  },
  {
    prefix: "/engine/tiles.worker-",
    base: "/engine",
    folder: "public/engine",
    last: `${lastBuild}/engine`,
    headers: { "content-security-policy": tilesPolicy() },
  },
  {
    prefix: "/engine/",
    base: "/engine",
    folder: "public/engine",
    last: `${lastBuild}/engine`,
    headers: { "content-security-policy": workerPolicy },
  },
];

type Serve = ReturnType<typeof sirv>;

/** Serves the files that are in a folder now, and no others: no path leads out of it. */
const serveFolder = (folder: string): Serve =>
  sirv(folder, { brotli: true, gzip: true, etag: true, immutable: true, maxAge: oneYearSeconds });

/** The same until a day after the folder was put there; nothing where there is none. */
function serveForDay(folder: string): Serve {
  const kept = fs.statSync(folder, { throwIfNoEntry: false });
  const serve = kept?.isDirectory() ? serveFolder(folder) : null;
  return (request, response, next) => {
    if (serve && kept && databaseMs() - kept.mtimeMs < dayMs) serve(request, response, next);
    else void next?.();
  };
}

/**
 * Serves the files that builds named by their content, compressed in advance (scripts/precompress.mjs), and passes other
 * requests on to `next`. Next itself would compress every script again for each request, and only with gzip. `root` is the
 * checkout.
 */
export function builtFiles(next: Handler, root = process.cwd()): Handler {
  const served = listFolders().map(({ folder, last, ...rest }) => ({
    ...rest,
    serve: serveFolder(path.join(root, folder)),
    serveLast: serveForDay(path.join(root, last)),
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
      const passOn = () => {
        request.url = url;
        next(request, response).then(resolve, reject);
      };
      found.serve(request, response, () => found.serveLast(request, response, passOn));
    });
  };
}
