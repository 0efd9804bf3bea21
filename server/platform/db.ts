import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { z } from "zod";
import { Prisma, PrismaClient } from "@/server/platform/database/generated/client";
import { type PoolLimits, LimitedPool } from "@/server/platform/db-pool";
import { env } from "@/server/platform/env";
import { cachedReader, metrics, onScrape, resultInTime } from "@/server/platform/metrics";
import { processWide } from "@/server/platform/process-wide";
import { type Columns, int4, type Native, rowObserver, queryRows, type Wire } from "@/server/platform/rows";

/** The Prisma client or one of its transactions. */
export type Db = PrismaClient | Prisma.TransactionClient;

/** Carries the connection or transaction to use; every `Ctx` does. */
export interface OnDb {
  readonly db: Db;
}

/**
 * At twice the load that the database can take, an accepted request waits half a second (median), and a burst of this
 * size is not refused. Without a limit, waits grow for as long as the load lasts.
 */
const waitingForEach = 10;

/**
 * For a process that serves requests. PostgreSQL's limit is lower than ours because ours costs the connection. Waiting
 * for a connection may take half of the time, so that some is left for the statement.
 */
const requestLimits = (connections: number, timeoutMs: number): PoolLimits => ({
  connections,
  waiting: connections * waitingForEach,
  connectMs: timeoutMs / 2,
  statementMs: timeoutMs * 0.9,
  responseMs: timeoutMs,
  idleInTransactionMs: 60_000,
});

/** For a process whose statements may take minutes; only an unresponsive server is given up. */
const jobLimits = (connections: number): PoolLimits => ({
  connections,
  waiting: Infinity,
  connectMs: 30_000,
  statementMs: 0,
  responseMs: 15 * 60_000,
  idleInTransactionMs: 0,
});

/** The connection pool of the process. */
export const pool = processWide("pool", () => {
  const { DATABASE_URL: url, DATABASE_POOL: connections, DATABASE_TIMEOUT_SECONDS: seconds } = env;
  const created = new LimitedPool(url, requestLimits(connections, seconds * 1_000));
  onScrape("pool", () => {
    metrics.connections.set({ state: "open" }, created.totalCount);
    metrics.connections.set({ state: "idle" }, created.idleCount);
    metrics.connectionsMax.set(connections);
    metrics.connectionWaits.set(created.waitingCount);
  });
  const readUp = cachedReader(async () => {
    const response = await resultInTime(() => created.query("select 1"));
    metrics.databaseUp.set(response ? 1 : 0);
  });
  onScrape("database", readUp);
  return created;
});

/** Lifts the limits meant for requests. A process that serves none calls this before its first statement. */
export const allowLongStatements = (): void => pool.setLimits(jobLimits(env.DATABASE_POOL));

export const prisma = processWide("prisma", () => new PrismaClient({ adapter: new PrismaPg(pool) }));

/**
 * Runs `work` in one transaction; in a savepoint of the one that `ctx` is in already, if it is. `attempts`: how often it is
 * tried when the database ends it because it and another one wait for each other; `work` then runs again.
 */
export async function transaction<C extends OnDb, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
  { attempts = 1 } = {},
): Promise<T> {
  const { db: on } = ctx;
  if (!("$transaction" in on)) return work(ctx);
  for (let attempt = 1; ; attempt++) {
    try {
      return await on.$transaction((db) => work({ ...ctx, db }), { maxWait: 10_000, timeout: 60_000 });
    } catch (error) {
      if (attempt >= attempts || !isDeadlock(error)) throw error;
    }
  }
}

/** What Prisma says of a deadlock: of a statement that it made itself by its code, of others within. */
const Deadlock = z.union([
  z.object({ code: z.literal("P2034") }),
  z.object({
    meta: z.object({
      driverAdapterError: z.object({ cause: z.object({ kind: z.literal("TransactionWriteConflict") }) }),
    }),
  }),
]);
const isDeadlock = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && Deadlock.safeParse(error).success;

const statementNames = processWide("statementNames", () => new Map<string, string>());
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = createHash("sha1").update(text).digest("base64url");
    if (statementNames.size < 5_000) statementNames.set(text, name);
  }
  return name;
}

/**
 * Runs a prepared statement directly on the pool, or one connection of it, outside any transaction, for hot lists and
 * bulk writes. Rows have the statement's column names (wire names), timestamps as ISO text with milliseconds, int8 as
 * number or decimal string.
 */
export function sql<C extends Columns>(
  columns: C,
  { text, values }: Prisma.Sql,
  on: pg.Pool | pg.ClientBase = pool,
): Promise<Wire<C>[]> {
  return queryRows(on, columns, { name: statementName(text), text }, values);
}

/** Runs a statement inside the transaction of `ctx`, if it has one; for statements that must be atomic with others. */
export async function query<C extends Columns>(ctx: OnDb, columns: C, statement: Prisma.Sql): Promise<Native<C>[]> {
  const observeRows = rowObserver.current?.(columns, statement.text);
  const rows = await ctx.db.$queryRaw<Native<C>[]>(statement);
  observeRows?.(rows);
  return rows;
}

/** Runs a statement for its effect inside the transaction of `ctx`. Resolves to the number of affected rows. */
export const execute = (ctx: OnDb, statement: Prisma.Sql): Promise<number> => ctx.db.$executeRaw(statement);

/**
 * Runs a statement with megabytes of bytes for its effect, inside the transaction of `ctx`, if it has one. Prisma passes
 * such values on as text, in three copies: this sends them on the transaction's own connection.
 */
export async function executeBytes(ctx: OnDb, statement: Prisma.Sql): Promise<void> {
  const connection = ctx.db === prisma ? null : await findConnection(ctx);
  if (connection) await connection.query(statement.text, statement.values);
  else await execute(ctx, statement);
}

/** The connection of a transaction. */
async function findConnection(tx: OnDb) {
  const [row] = await query(tx, { id: int4 }, Prisma.sql`select pg_backend_pid() as id`);
  return row ? pool.findConnection(row.id) : null;
}

/** Waits for open statements and closes every connection. */
export async function closeDatabase(): Promise<void> {
  await prisma.$disconnect();
  if (!pool.ended) await pool.end();
}
