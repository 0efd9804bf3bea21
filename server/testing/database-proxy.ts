import { once } from "node:events";
import net, { type AddressInfo } from "node:net";

/** A TCP proxy in front of a database that can stop forwarding, refuse connections and recover. */
export interface DatabaseProxy {
  /** The database's address through the proxy. */
  url: string;
  /** How many connections it has accepted so far. */
  readonly taken: number;
  /** Stops forwarding on open and new connections; new ones are still accepted. */
  silence(): void;
  /** Closes every connection and refuses new ones. */
  refuse(): Promise<void>;
  /** Forwards everything again, beginning with what was held back. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  let silent = false;
  let taken = 0;
  const server = net.createServer({ pauseOnConnect: true }, (client) => {
    taken += 1;
    const upstream = net.connect(Number(target.port), target.hostname);
    upstream.pause();
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => to.write(data));
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (!silent) from.resume();
    }
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);

  const refuse = async () => {
    const closed = server.listening ? once(server.close(), "close") : null;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: url.toString(),
    get taken() {
      return taken;
    },
    silence: () => {
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    refuse,
    restore: async () => {
      silent = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
    close: refuse,
  };
}
