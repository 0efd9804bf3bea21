import pg from "pg";
import { logFor } from "@/server/platform/log";
import { metrics } from "@/server/platform/metrics";
import { warnRepeated } from "@/server/platform/repeated-warnings";
import { currentScope, type RequestScope } from "@/server/platform/request-scope";
import { int4, queryRows } from "@/server/platform/rows";
import { describeStatement, noteDuration } from "@/server/platform/slow-statements";
import { currentTrace, endSpan, startSpan } from "@/server/platform/tracing";
import { findOutage, markOutage, outageError, type Outage } from "@/server/platform/unavailable";

const log = logFor("database");

/** Limits on a process's use of the database. Times in milliseconds; 0 is no limit. */
export interface PoolLimits {
  connections: number;
  /** Requests that may wait for a connection; more are refused immediately. */
  waiting: number;
  /** To get a connection from the pool or open a new one. */
  connectMs: number;
  /** Until PostgreSQL cancels a statement. */
  statementMs: number;
  /** For the response to one statement, after which the connection to an unresponsive server is closed. */
  responseMs: number;
  /** Until PostgreSQL ends the session of an idle transaction, which releases its locks. */
  idleInTransactionMs: number;
}

interface ConnectionState {
  /** The pool's `losses` when it was opened. One opened before the last loss is not reused: it may be broken too. */
  openedAfter: number;
  /** The request that uses it, or used it last. */
  scope: RequestScope | null;
  /** The span in which it is used. */
  trace: ReturnType<typeof currentTrace>;
}

/** The id that the server gave when the connection was opened, which its types lack. */
export const getProcess = (client: pg.ClientBase): number | null =>
  (client as pg.ClientBase & { processID: number | null }).processID;

/** What is set for each session when its connection is opened. */
export const sessionOptions = "-c TimeZone=UTC";

type Receive = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

const keepAliveMs = 10_000;

/**
 * A pool that limits the wait for a connection and for each statement. The session's time zone is UTC, so timestamps
 * leave PostgreSQL in a form that can be passed on.
 */
export class LimitedPool extends pg.Pool {
  private limits: PoolLimits;
  /** Number of connections lost so far. */
  private losses = 0;
  private readonly states = new WeakMap<pg.PoolClient, ConnectionState>();
  /** By the process of the server that each connection was given. */
  private readonly opened = new Map<number | null, pg.PoolClient>();

  constructor(connectionString: string | undefined, limits: PoolLimits) {
    super({ connectionString, options: sessionOptions, keepAlive: true, keepAliveInitialDelayMillis: keepAliveMs });
    this.limits = limits;
    this.setLimits(limits);
    // Without listeners for both, a lost connection would end the process.
    // When the database goes away, all connections are lost together.
    this.on("error", (error) => warnRepeated(log, { error: error.message }, "database connection lost"));
    this.on("connect", (client) => {
      this.opened.set(getProcess(client), client);
      this.prepare(client);
    });
    this.on("remove", (client) => this.opened.delete(getProcess(client)));
  }

  /**
   * The connection whose transaction a process of the server (`pg_backend_pid()`) runs now; null when it is of another
   * pool.
   */
  async findConnection(processId: number): Promise<pg.PoolClient | null> {
    const client = this.opened.get(processId);
    // A pooler between makes ids up. The process of an open transaction answers on no other connection.
    const [row] = client ? await queryRows(client, { id: int4 }, "select pg_backend_pid() as id") : [];
    return client && row?.id === processId ? client : null;
  }

  /** Connections opened from now on have these limits. */
  setLimits(limits: PoolLimits): void {
    this.limits = limits;
    Object.assign(this.options, {
      max: limits.connections,
      connectionTimeoutMillis: limits.connectMs,
      statement_timeout: limits.statementMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionMs,
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(receive: Receive): void;
  override connect(receive?: Receive): Promise<pg.PoolClient> | void {
    if (receive) return this.checkOut(receive);
    return new Promise((resolve, reject) => {
      this.checkOut((error, client) => (client ? resolve(client) : reject(error)));
    });
  }

  private checkOut(receive: Receive): void {
    const scope = currentScope();
    const trace = currentTrace();
    const refuse = (message: string, outage: Outage) => {
      metrics.connectionRefusals.inc({ cause: outage });
      process.nextTick(receive, outageError(message, outage), undefined, () => {});
    };
    const { waiting, connectMs } = this.limits;
    const leftMs = scope?.leftMs ?? Infinity;
    if (leftMs <= 0) return refuse("the request has waited for the database long enough", "timeout");
    if (scope && this.waitingCount >= waiting && this.idleCount === 0) {
      return refuse(`${this.waitingCount} requests wait for a connection already`, "overloaded");
    }

    scope?.beginWait();
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const end: Receive = (...result) => {
      ended = true;
      clearTimeout(timer);
      scope?.endWait();
      receive(...result);
    };
    if (leftMs < (connectMs || Infinity)) {
      timer = setTimeout(() => {
        metrics.connectionRefusals.inc({ cause: "timeout" });
        end(outageError("no connection in time", "timeout"), undefined, () => {});
      }, leftMs);
    }
    const take: Receive = (error, client, done) => {
      if (error) {
        markOutage(error);
        if (!ended) metrics.connectionRefusals.inc({ cause: findOutage(error) ?? "other" });
      }
      const state = client && this.states.get(client);
      if (ended) {
        if (client) done();
      } else if (state && state.openedAfter !== this.losses) {
        done(true);
        super.connect(take);
      } else {
        if (state) Object.assign(state, { scope, trace });
        end(error, client, done);
      }
    };
    super.connect(take);
  }

  private prepare(client: pg.PoolClient): void {
    const state: ConnectionState = { openedAfter: this.losses, scope: null, trace: null };
    this.states.set(client, state);
    const recordLoss = (error: Error) => {
      markOutage(error);
      if (findOutage(error) === "lost") this.losses += 1;
    };
    client.on("error", recordLoss);
    const send = client.query.bind(client) as (...input: unknown[]) => unknown;
    const limited = (...input: unknown[]): unknown => {
      const finish = this.limitStatement(client, state, recordLoss, input[0]);
      const last = input.length - 1;
      if (typeof input[last] === "function") {
        input[last] = withFinish(finish, input[last] as Callback);
        return send(...input);
      }
      const result = send(...input);
      if (result instanceof Promise) result.then(() => finish(null), finish);
      else finish(null); // a stream of rows is not limited
      return result;
    };
    client.query = limited as typeof client.query;
  }

  /**
   * Closes the connection unless the returned function is called, with the statement's error or null, within the limit.
   * The connection is closed because its state is unknown, in particular that of an open transaction.
   */
  private limitStatement(
    client: pg.PoolClient,
    { scope, trace }: ConnectionState,
    recordLoss: (error: Error) => void,
    statement: unknown,
  ): Finish {
    const limitMs = Math.min(this.limits.responseMs || Infinity, scope?.leftMs ?? Infinity);
    const timer = limitMs < Infinity ? setTimeout(hangUp, Math.max(0, limitMs), client) : undefined;
    if (limitMs <= 0) hangUp(client);
    scope?.beginWait();
    const began = performance.now();
    const span = trace && startStatementSpan(statement, trace);
    return (error) => {
      clearTimeout(timer);
      scope?.endWait();
      const ms = performance.now() - began;
      metrics.statementDuration.observe(ms / 1_000);
      noteDuration(ms, statement, scope?.requestId);
      endSpan(span, error);
      if (error instanceof Error) recordLoss(error);
    };
  }
}

const hangUp = (client: pg.PoolClient): void =>
  void client.connection.stream.destroy(outageError("no response to a statement in time", "timeout"));

function startStatementSpan(given: unknown, parent: NonNullable<ReturnType<typeof currentTrace>>) {
  const { statement } = describeStatement(given);
  const operation = /^\w+/.exec(statement)?.[0].toUpperCase() ?? "STATEMENT";
  const attributes = { "db.system.name": "postgresql", "db.operation.name": operation, "db.query.text": statement };
  return startSpan(operation, "client", attributes, { parent });
}

type Finish = (error: unknown) => void;
type Callback = (error: Error | null, result: unknown) => void;

/** Outside of the method so that the closure retains only these two: there are thousands of statements a second. */
const withFinish =
  (finish: Finish, callback: Callback): Callback =>
  (error, result) => {
    finish(error);
    callback(error, result);
  };
