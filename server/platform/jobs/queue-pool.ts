import pg from "pg";
import { findOutage, type Outage } from "@/server/platform/unavailable";

/**
 * Error codes after which graphile-worker retries recording the result of a job: immediately, or after seconds. It
 * retries for hours, while the heartbeats of its pool keep the job locked.
 */
const retriedCodes: Readonly<Record<Outage, string>> = {
  lost: "40001",
  refused: "57P03",
  timeout: "57P03",
  overloaded: "57P03",
};

/** Gives an outage a code that graphile-worker retries; returns every other error unchanged. */
function toRetryable(error: unknown): unknown {
  const outage = findOutage(error);
  if (!outage) return error;
  const message = error instanceof Error ? error.message : String(error);
  return Object.assign(new Error(message, { cause: error }), { code: retriedCodes[outage] });
}

/**
 * A pool for graphile-worker on the connections of another pool. graphile-worker itself does not retry after a lost
 * connection: the rejection stays unhandled, which ends the process and every job in it.
 */
export class QueuePool extends pg.Pool {
  constructor(private readonly connections: pg.Pool) {
    super({ max: connections.options.max });
    for (const event of ["error", "connect"] as const) this.on(event, () => {});
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(receive: Parameters<pg.Pool["connect"]>[0]): void;
  override connect(receive?: Parameters<pg.Pool["connect"]>[0]): Promise<pg.PoolClient> | void {
    // graphile-worker passes a callback only for its LISTEN connection, which it reconnects itself.
    return receive ? this.connections.connect(receive) : this.retriedConnection();
  }

  private async retriedConnection(): Promise<pg.PoolClient> {
    try {
      const client = await this.connections.connect();
      const query = async (given: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> => {
        try {
          return await client.query(given, values);
        } catch (error) {
          throw toRetryable(error);
        }
      };
      return Object.assign(Object.create(client) as pg.PoolClient, { query });
    } catch (error) {
      throw toRetryable(error);
    }
  }
}
