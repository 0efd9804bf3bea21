import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export type ReceiverResponse = (received: Received, response: http.ServerResponse) => void;

/** A real HTTP server on loopback that keeps what arrives: the other end of everything that leaves the house. */
export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** How many connections were opened to it, whether or not anything was said on them. */
  connections: () => number;
  /** How it answers from now on. The default is 200 "ok". */
  respondWith: (handler: ReceiverResponse) => void;
  close: () => Promise<void>;
}

const ok: ReceiverResponse = (_received, response) => response.end("ok");

/** Starts a receiver on a port of its own. */
export async function startReceiver(first: ReceiverResponse = ok): Promise<Receiver> {
  let handler = first;
  let connections = 0;
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const entry = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(entry);
      handler(entry, response);
    });
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    respondWith: (next) => {
      handler = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
