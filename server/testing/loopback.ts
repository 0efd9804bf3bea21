import http from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { compose } from "@/server/testing/composition";

/** The Hono app behind a real HTTP server on loopback, as server/composition/web.ts serves it. */
export interface Loopback {
  url: string;
  server: http.Server;
  /** Returns a URL's path and query on this server, because signed URLs name the installation's public address. */
  here: (url: string) => string;
  close: () => Promise<void>;
}

export async function startLoopback(): Promise<Loopback> {
  const { app } = await compose("rest-app");
  const listener = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    overrideGlobalObjects: false,
  });
  // A client in this process must not find a connection closed that its own work kept it from using for seconds.
  const options = { requestTimeout: 0, keepAliveTimeout: 65_000 };
  const server = http.createServer(options, (request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    server,
    here: (signed) => {
      const { pathname, search } = new URL(signed, url);
      return url + pathname + search;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
