import type { AddressInfo } from "node:net";
import * as restApp from "@/server/composition/rest-app";
import { createWebServer } from "@/server/transport/http/http-server";

// One of several web processes, but for the pages, which would have to be built first. Lives as long as the test that
// started it.
const { server } = createWebServer(restApp, (_request, response) =>
  Promise.resolve(void response.writeHead(404).end()),
);
process.once("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
