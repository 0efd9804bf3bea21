import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { type Prisma, PrismaClient } from "@/server/platform/database/generated/client";
import { type PoolLimits, LimitedPool } from "@/server/platform/db-pool";
import { env } from "@/server/platform/env";
import { processWide } from "@/server/platform/process-wide";
import { type Columns, type Native, rowObserver, queryRows, type Wire } from "@/server/platform/rows";

/** The client itself, or a transaction of it. */
export type Db = PrismaClient | Prisma.TransactionClient;

/** Whatever says on which connection or in which transaction to work: every `Ctx` does. */
export interface OnDb {
  readonly db: Db;
}
const connections = 20;

/**
 * Ten for each connection: at twice the load that the database can take, whoever is let in waits half a second
 * (median), and a burst of so many is taken whole. Without a limit they wait longer for as long as the load lasts.
 */
const waiting = 200;

/**
 * For a process that serves requests. PostgreSQL's own limit comes before ours, which costs the connection. Half of the
 * time is for a connection, so that some is left for the statement.
 */
const requestLimits = (timeoutMs: number): PoolLimits => ({
  connections,
  waiting,
  connectMs: timeoutMs / 2,
  statementMs: timeoutMs * 0.9,
  answerMs: timeoutMs,
  idleInTransactionMs: 60_000,
});

/** For one that works for minutes on end; only a server that has gone silent is given up. */
const jobLimits: PoolLimits = {
  connections,
  waiting: Infinity,
  connectMs: 30_000,
  statementMs: 0,
  answerMs: 15 * 60_000,
  idleInTransactionMs: 0,
};

/** The process's connections. */
export const pool = processWide("pool", () => {
  const { DATABASE_URL: url, DATABASE_TIMEOUT_SECONDS: seconds } = env;
  return new LimitedPool(url, requestLimits(seconds * 1_000));
});

/** Lifts the limits that are meant for requests. Called before its first statement by a process that serves none. */
export const allowLongStatements = (): void => pool.setLimits(jobLimits);

export const prisma = processWide("prisma", () => new PrismaClient({ adapter: new PrismaPg(pool) }));

/** Runs `work` in one transaction; joins the one that `ctx` is already in. */
export function transaction<C extends OnDb, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  if (!("$transaction" in ctx.db)) return work(ctx);
  return ctx.db.$transaction((db) => work({ ...ctx, db }), { maxWait: 10_000, timeout: 60_000 });
}

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
 * A prepared statement straight on the pool, for hot lists and bulk writes: rows as the statement names them (wire
 * names), timestamps as ISO text with milliseconds, int8 as number or decimal string. Outside any transaction of `ctx`.
 */
export function sql<C extends Columns>(columns: C, { text, values }: Prisma.Sql): Promise<Wire<C>[]> {
  return queryRows(pool, columns, { name: statementName(text), text }, values);
}

/** The same statement inside the transaction `ctx` is in (or on its own connection): use it where atomicity matters. */
export async function query<C extends Columns>(ctx: OnDb, columns: C, statement: Prisma.Sql): Promise<Native<C>[]> {
  const answered = rowObserver.current?.(columns, statement.text);
  const rows = await ctx.db.$queryRaw<Native<C>[]>(statement);
  answered?.(rows);
  return rows;
}

/** Runs a statement for its effect inside the transaction of `ctx`; the number of rows it touched. */
export const execute = (ctx: OnDb, statement: Prisma.Sql): Promise<number> => ctx.db.$executeRaw(statement);

/** Waits for open statements and closes every connection. */
export async function closeDatabase(): Promise<void> {
  await prisma.$disconnect();
  if (!pool.ended) await pool.end();
}
