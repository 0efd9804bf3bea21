import type pg from "pg";
import { bool, queryRows } from "@/server/platform/rows";

/** The session lock of the process that leads. */
const lock = 72_707_372;

/** Milliseconds: how often the lock, or the connection of the one that has it, is asked for; and until it is given up. */
const timing = { everyMs: 5_000, answerMs: 10_000 };

/**
 * Makes one of the processes that share a database lead: the one whose session has the lock, over a connection that stays
 * open for other reasons. Whoever loses the connection stops at once, and PostgreSQL gives the lock to the next that asks.
 */
export class Leader {
  #session: { client: pg.PoolClient; timer?: NodeJS.Timeout } | null = null;
  #end: (() => void) | null = null;

  /** `lead` begins what only one process does, and returns how it ends. */
  constructor(
    private readonly lead: () => () => void,
    private readonly limits = timing,
  ) {}

  get isLeading(): boolean {
    return this.#end !== null;
  }

  /** Asks for the lock on this connection until it is left, which has to be called when it is lost too. */
  follow(client: pg.PoolClient): void {
    const session: { client: pg.PoolClient; timer?: NodeJS.Timeout } = { client };
    this.#session = session;
    const ask = async () => {
      const limit = setTimeout(hangUp, this.limits.answerMs, client);
      try {
        if (await this.#hasLock(client)) this.#begin(session);
      } catch {
        // The connection reports its loss itself; after any other failure, the lock is asked for again.
      }
      clearTimeout(limit);
      if (this.#session === session) session.timer = setTimeout(() => void ask(), this.limits.everyMs);
    };
    // Once what its owner has begun on it is answered: a connection takes one statement at a time.
    client.once("drain", () => void keepAlive(client).then(ask));
  }

  /** Stops leading, if this was the connection of the lock, and frees it. */
  leave(client: pg.PoolClient): void {
    if (this.#session?.client !== client) return;
    clearTimeout(this.#session.timer);
    this.#session = null;
    this.#end?.();
    this.#end = null;
    // Where it is not lost, and all, because the lock may be asked for at this moment; the session has no other.
    client.once("drain", () => void client.query("select pg_advisory_unlock_all()").catch(() => {}));
  }

  async #hasLock(client: pg.PoolClient): Promise<boolean> {
    if (this.#end) return (await client.query("select 1")).rowCount === 1;
    const [row] = await queryRows(client, { held: bool }, "select pg_try_advisory_lock($1) as held", [lock]);
    return row?.held ?? false;
  }

  #begin(session: object): void {
    if (this.#session === session) this.#end ??= this.lead();
  }
}

/** Lets the server free the lock of a process that it cannot reach any more after 25 s, not hours. */
const keepAlive = (client: pg.PoolClient): Promise<unknown> =>
  client
    .query(
      `select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
         set_config('tcp_keepalives_count', '3', false)`,
    )
    .catch(() => {});

const hangUp = (client: pg.PoolClient): void =>
  void client.connection.stream.destroy(new Error("no response on the connection of the lock"));
