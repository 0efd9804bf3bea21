import pg from "pg";
import { withConnection } from "@/server/platform/database/connection";
import { getProcess, sessionOptions } from "@/server/platform/db-pool";
import { int4, queryRows, text } from "@/server/platform/rows";

const rounds = 3;
const waitMs = 15_000;

const advice =
  "Muster needs sessions of PostgreSQL for itself, for prepared statements, notifications and locks: let DATABASE_URL lead to PostgreSQL itself, and limit the connections of each process by DATABASE_POOL.";

/** As the pool of a process connects. */
const asProcess = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: "muster-start",
  options: sessionOptions,
  statement_timeout: 60_000,
  idle_in_transaction_session_timeout: 60_000,
  connectionTimeoutMillis: waitMs,
  query_timeout: waitMs,
});

/** The process of the server that runs the statements of a connection. */
async function readProcess(client: pg.Client): Promise<number | undefined> {
  const [row] = await queryRows(client, { id: int4 }, "select pg_backend_pid() as id");
  return row?.id;
}

/**
 * Whether a pooler gives the session of a connection to others between transactions. While another connection is in a
 * transaction, either that has the session of this one, or this one's next statement runs in a session that was free.
 */
async function losesSession(client: pg.Client, url: string): Promise<boolean> {
  const own = await readProcess(client);
  for (let round = 0; round < rounds; round++) {
    const lost = await withConnection(asProcess(url), async (other) => {
      await other.query("begin");
      const isLost = (await readProcess(other)) === own || (await readProcess(client)) !== own;
      await other.query("commit");
      return isLost;
    });
    if (lost || (await readProcess(client)) !== own) return true;
  }
  return false;
}

/**
 * Refuses a pooler with which nothing would work although connections can be made: one that shares sessions of the server
 * between transactions (PgBouncer with `pool_mode = transaction`), or drops what is set for a session at its start. Throws
 * an Error for the operator, or that of a connection that cannot be made.
 */
export async function refusePooler(url: string): Promise<void> {
  try {
    await withConnection(asProcess(url), async (client) => {
      const [row] = await queryRows(client, { zone: text }, "select current_setting('TimeZone') as zone");
      // A pooler makes up the process that it names at the start.
      const isPooled = (await readProcess(client)) !== getProcess(client);
      if (isPooled && (await losesSession(client, url))) {
        throw new Error(
          `DATABASE_URL leads to a connection pooler that shares sessions between transactions, such as PgBouncer with pool_mode = transaction. ${advice}`,
        );
      }
      if (row?.zone !== "UTC") {
        throw new Error(
          `DATABASE_URL leads to a connection pooler that drops what Muster sets for its sessions: the time zone is ${row?.zone}. ${advice}`,
        );
      }
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !error.message.startsWith("unsupported startup parameter")) throw error;
    throw new Error(
      `DATABASE_URL leads to a connection pooler that refuses what Muster sets for its sessions (${error.message}). ${advice}`,
      { cause: error },
    );
  }
}
