import pg from "pg";
import { findOutage, type Outage } from "@/server/platform/unavailable";

/**
 * Codes that graphile-worker tries again after when it writes what became of a job: soon, or after seconds. It does so
 * for hours, while its pool beats and so keeps the job.
 */
const retriedCodes: Readonly<Record<Outage, string>> = {
  lost: "40001",
  refused: "57P03",
  timeout: "57P03",
  overloaded: "57P03",
};

/** Any outage as one that graphile-worker tries again after; every other error as it is. */
function retried(error: unknown): unknown {
  const outage = findOutage(error);
  if (!outage) return error;
  const message = error instanceof Error ? error.message : String(error);
  return Object.assign(new Error(message, { cause: error }), { code: retriedCodes[outage] });
}

/**
 * A pool for graphile-worker on the connections of another. To graphile-worker itself a connection that PostgreSQL
 * ended is no reason to try again: it lets the rejection go unhandled, which ends the process and every job in it.
 */
export class QueuePool extends pg.Pool {
  constructor(private readonly connections: pg.Pool) {
    super({ max: connections.options.max });
    for (const event of ["error", "connect"] as const) this.on(event, () => {});
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(receive: Parameters<pg.Pool["connect"]>[0]): void;
  override connect(receive?: Parameters<pg.Pool["connect"]>[0]): Promise<pg.PoolClient> | void {
    // With a function it listens for jobs, and reconnects by itself.
    return receive ? this.connections.connect(receive) : this.retriedConnection();
  }

  private async retriedConnection(): Promise<pg.PoolClient> {
    try {
      const client = await this.connections.connect();
      const query = async (given: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> => {
        try {
          return await client.query(given, values);
        } catch (error) {
          throw retried(error);
        }
      };
      return Object.assign(Object.create(client) as pg.PoolClient, { query });
    } catch (error) {
      throw retried(error);
    }
  }
}
