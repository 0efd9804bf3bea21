import { once } from "node:events";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { startMonitoring } from "@/server/composition/monitoring";
import * as restApp from "@/server/composition/rest-app";
import { closeDatabase } from "@/server/platform/db";
import { env, informNext, localUrl } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { flushToolCalls } from "@/server/platform/mcp/tool-calls";
import { flushAccesses } from "@/server/platform/observability/access-log";
import { startClock } from "@/server/platform/process/clock-check";
import { FatalError } from "@/server/platform/process/fatal-error";
import { onStop } from "@/server/platform/process/stopping";
import { listenForChanges } from "@/server/platform/realtime/changes";
import { protectFiles } from "@/server/platform/storage/own";
import { stopTracing } from "@/server/platform/tracing";
import { builtFiles } from "@/server/transport/http/built-files";
import { createWebServer, type WebServer } from "@/server/transport/http/http-server";
import { nextHandler } from "@/server/transport/http/pages";

const log = logFor("web");

const inFlightMs = 15_000;
const stopMs = 20_000;
/** A database that is away must not prevent the start: requests are then refused until it is back. */
const clockMs = 5_000;

/** Listens, retrying for five seconds while a previous process still has the port. Resolves to the port. */
async function listen(server: Server): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    try {
      server.listen(env.PORT, env.HOST);
      await once(server, "listening");
      const address = server.address();
      return typeof address === "object" && address ? address.port : env.PORT;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      const where = `${env.HOST}:${env.PORT}`;
      if (code === "EADDRINUSE" && attempt < 20) await sleep(250);
      else if (code === "EADDRINUSE")
        throw new FatalError(`Another program listens on ${where}. Stop it, or set PORT.`);
      else if (code === "EACCES")
        throw new FatalError(`This user may not listen on ${where}. Set PORT to one above 1023.`);
      else if (code === "EADDRNOTAVAIL") throw new FatalError(`This machine has no address ${env.HOST}. Set HOST.`);
      else throw error;
    }
  }
}

async function close({ server, active }: WebServer, orphaned: boolean): Promise<void> {
  // Until then requests are accepted, so that a load balancer sees /readyz fail and stops sending.
  if (!orphaned) await sleep(env.DRAIN_SECONDS * 1_000);
  for (const response of active) {
    // A stream of events would otherwise delay the end of the process until the limit.
    if (response.req.headers.accept?.includes("text/event-stream")) response.destroy();
    else response.shouldKeepAlive = false;
  }
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await Promise.race([closed, sleep(orphaned ? 1_000 : inFlightMs, undefined, { ref: false })]);
  clearInterval(idle);
  server.closeAllConnections();
}

/**
 * Serves pages, API and files in this process until it is stopped; /readyz then fails immediately and running requests
 * finish. Throws a FatalError when it cannot listen.
 */
export async function runWeb(): Promise<void> {
  process.title = "muster web";
  informNext();
  const pages = nextHandler().then(builtFiles);
  const web = createWebServer(restApp, async (request, response) => (await pages)(request, response));
  const stopListening = listenForChanges();
  const monitoring = startMonitoring("web");
  onStop(
    async (orphaned) => {
      await close(web, orphaned);
      (await monitoring).stop();
      await stopTracing();
      await stopListening();
      await flushAccesses();
      await flushToolCalls();
      await closeDatabase();
    },
    stopMs + env.DRAIN_SECONDS * 1_000,
  );
  await Promise.all([
    pages,
    protectFiles(),
    monitoring,
    Promise.race([startClock(), sleep(clockMs, undefined, { ref: false })]),
  ]);
  const port = await listen(web.server);
  log.info({ address: localUrl(port) }, "web server listens");
  if (env.PUBLIC_URL.startsWith("https:") && env.TRUSTED_PROXY_HOPS === 0) {
    log.warn("PUBLIC_URL is https, but TRUSTED_PROXY_HOPS is 0: no proxy is believed, and every request is refused");
  }
  process.send?.({ ready: true, port });
}
