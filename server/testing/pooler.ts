import { once } from "node:events";
import net, { type AddressInfo } from "node:net";

/** A pooler in front of a database, of which tests need no more than that it shares sessions as others do. */
export interface Pooler {
  url: string;
  close(): Promise<void>;
}

interface PoolerOptions {
  /** For how long a client has a session of the server. */
  mode: "session" | "transaction";
  /** Whether what clients set at their start is left out. */
  dropSettings?: boolean;
}

/** Cuts a stream of the server into its messages, each with its type and length. */
function readMessages(received: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let rest = received;
  while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
    const end = rest.readUInt32BE(1) + 1;
    messages.push(rest.subarray(0, end));
    rest = rest.subarray(end);
  }
  return { messages, rest };
}

/** The first message of a client with its user and database only. */
function withoutSettings(startup: Buffer): Buffer {
  const words = startup.subarray(8, -1).toString().split("\0");
  const kept = words.flatMap((word, n) =>
    n % 2 === 0 && ["user", "database"].includes(word) ? [word, words[n + 1] ?? ""] : [],
  );
  const parameters = Buffer.from(`${kept.join("\0")}\0\0`);
  const head = Buffer.from(startup.subarray(0, 8));
  head.writeUInt32BE(8 + parameters.length);
  return Buffer.concat([head, parameters]);
}

/**
 * Each client signs in on a connection of its own, which then belongs to all: in the mode "transaction" a client has one
 * from its first message to the end of its transaction.
 */
export async function startPooler(databaseUrl: string, { mode, dropSettings = false }: PoolerOptions): Promise<Pooler> {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  const free: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];

  class Session {
    client: net.Socket | null;
    private rest: Buffer = Buffer.alloc(0);
    constructor(
      readonly socket: net.Socket,
      first: net.Socket,
    ) {
      this.client = first;
      socket.on("data", (data) => this.receive(data));
      socket.on("close", () => this.client?.destroy());
    }
    private receive(data: Buffer): void {
      const { messages, rest } = readMessages(Buffer.concat([this.rest, data]));
      this.rest = rest;
      for (const message of messages) {
        const type = String.fromCharCode(message[0] ?? 0);
        if (type === "K") message.writeUInt32BE(1, 5); // the process, which a pooler makes up
        this.client?.write(message);
        if (type === "Z" && message[5] === "I".charCodeAt(0) && mode === "transaction") this.release();
      }
    }
    private release(): void {
      this.client?.emit("released");
      this.client = null;
      const next = waiting.shift();
      if (next) next(this);
      else free.push(this);
    }
  }

  const server = net.createServer((client) => {
    let session: Session | null = null;
    let asked = false;
    let held: Buffer[] = [];
    client.on("released", () => (session = null));
    const take = (taken: Session) => {
      asked = false;
      session = taken;
      taken.client = client;
      for (const data of held) taken.socket.write(data);
      held = [];
    };
    const pass = (data: Buffer) => {
      if (data[0] === "X".charCodeAt(0)) return client.end();
      if (session) return session.socket.write(data);
      held.push(data);
      const found = asked ? undefined : free.pop();
      if (found) take(found);
      else if (!asked) waiting.push(take);
      asked = session === null;
    };
    client.once("data", (startup) => {
      const upstream = net.connect(Number(target.port), target.hostname);
      session = new Session(upstream, client);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => sockets.delete(socket));
      }
      upstream.write(dropSettings ? withoutSettings(startup) : startup);
      client.on("data", pass);
    });
    client.on("close", () => mode === "session" && session?.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.toString(),
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
