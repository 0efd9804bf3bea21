import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import * as devicesExport from "@/app/(dashboard)/devices/export/route";
import * as trpc from "@/app/api/trpc/[trpc]/route";
import * as restApp from "@/server/composition/rest-app";
import { startTracing } from "@/server/platform/observability/tracing-setup";
import { createWebServer } from "@/server/transport/http/http-server";
import { readSession } from "@/server/transport/session/session";

// One of several web processes, without the pages, which would have to be built first: of what Next serves, it has the
// routes that do not need Next, and one page that reads the session and fails as Next does. Ends with the test that
// started it.
const routes = getRequestListener((request) => {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/api/trpc/")) return request.method === "GET" ? trpc.GET(request) : trpc.POST(request);
  if (pathname === "/devices/export") return devicesExport.GET(request);
  return new Response(null, { status: 404 });
});

/** The loaded files of OpenTelemetry, without its interface, which other packages load. */
const listTracingFiles = (): string[] =>
  Object.keys(createRequire(import.meta.url).cache).filter((file) => /@opentelemetry\/(?!api\/)/.test(file));

/** What a bug in a page's handler would do. */
const broken = () => Promise.reject(new Error("a bug"));

async function page(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const session = await readSession(request.headers.cookie ?? null);
    response.end(session?.username ?? "sign in");
  } catch {
    response.statusCode = 500;
    response.end();
  }
}

const { server } = createWebServer(restApp, async (request, response) => {
  if (request.url === "/loaded") return void response.end(JSON.stringify(listTracingFiles()));
  const handler = request.url === "/" ? page : request.url === "/broken" ? broken : routes;
  await handler(request, response);
});
await startTracing("1.2.3", "web");
process.once("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
