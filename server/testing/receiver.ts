import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export type ReceiverResponse = (received: Received, response: http.ServerResponse) => void;

/** A real HTTP server on loopback that records what it receives: the receiver of everything that Muster sends. */
export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** How many connections were opened to it, with or without a request. */
  connections: () => number;
  /** Sets how it responds from now on. The default is 200 "ok". */
  respondWith: (handler: ReceiverResponse) => void;
  close: () => Promise<void>;
}

const ok: ReceiverResponse = (_received, response) => response.end("ok");

/** Starts a receiver on a free port. */
export async function startReceiver(initial: ReceiverResponse = ok): Promise<Receiver> {
  let handler = initial;
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
