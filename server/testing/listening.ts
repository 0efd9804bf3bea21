import { once } from "node:events";
import type http from "node:http";
import { afterAll } from "vitest";

/** Makes a server listen on loopback until the tests of the file end. */
export async function listenOnLoopback(server: http.Server): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
}
