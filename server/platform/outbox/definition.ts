import type { Prisma } from "@/server/platform/database/generated/client";
import type { OnDb } from "@/server/platform/db";
import type { Outcome } from "@/server/platform/http-client/post";
import type { RetryPolicy } from "@/server/platform/outbox/retry";
import { type Declared } from "@/server/platform/rows";

declare const checked: unique symbol;

/** The name of a table or column, which is put into statements unquoted. */
export type Identifier = string & { readonly [checked]: true };

/** Turns a constant of the code into an identifier. Throws unless it is lower-case letters and underscores. */
export function identifier(name: string): Identifier {
  if (!/^[a-z][a-z_]*$/.test(name)) throw new Error(`not a plain name: ${name}`);
  return name as Identifier;
}

/** A row that only this process may send until its lease ends. `attempts` includes the current one. */
export type Claim<Row extends object = object> = Row & {
  uid: string;
  organization_id: string;
  target: string;
  attempts: number;
};

/** The outcome of one attempt, to be recorded. */
export interface Noted<Row extends object, Target> {
  /** The uid of the attempt. */
  uid: string;
  claim: Claim<Row>;
  /** Undefined when it was deleted before the attempt. */
  target: Target | undefined;
  outcome: Outcome;
  startedAt: Date;
  durationMs: number;
  /** When the next attempt is due; null when there is none. */
  next: Date | null;
}

/**
 * A table whose rows are sent and have their own state and schedule: `uid`, `organization_id`, `status` (`pending`,
 * `failed` or the definition's `received`), `attempts`, `next_attempt_at` and `updated_at`.
 */
export interface OutboxDefinition<Row extends object, Target> {
  /** Its name in the log. */
  name: string;
  table: Identifier;
  /** Column with the receiver, by which concurrency is counted. The table has an index on it and the schedule. */
  target: Identifier;
  /** Rows of one target with the same value in this column are sent one after the other, by uid; null for no order. */
  sequence: Identifier | null;
  /** What `send` needs of a row, as a select list over `r`. */
  columns: Prisma.Sql;
  /** The types of these columns. */
  row: Declared<Row>;
  /** The status of a row that was sent successfully. */
  received: string;
  /**
   * Assignments to further columns of a row `r` after an attempt `a`, which has `ok`, `status`, `status_code`,
   * `response`, `error` and `duration_ms`.
   */
  assignments: Prisma.Sql;
  /**
   * The table with a row for each attempt, its column with the uid of what was sent, and the one with the headers of
   * the request where they are stored.
   */
  attemptLog: { table: Identifier; row: Identifier; requestHeaders?: Identifier } | null;
  retry: RetryPolicy;
  concurrency: Concurrency;
  /** The error shown to users for an attempt that failed because of a bug of Muster. */
  unsent: string;
  /** Reads targets by their uids; deleted ones are left out. */
  loadTargets: (uids: string[]) => Promise<Map<string, Target>>;
  /** Makes one attempt to send the row. */
  send: (claim: Claim<Row>, target: Target) => Promise<Outcome>;
  /** Runs in the transaction that records outcomes, with those that were not superseded. */
  whileNoting?: (tx: OnDb, noted: readonly Noted<Row, Target>[]) => Promise<void>;
  /** Runs after outcomes were recorded, with those that were not superseded. */
  afterNoting?: (noted: readonly Noted<Row, Target>[]) => Promise<void>;
}

/** The number of concurrent attempts in one process. */
interface Concurrency {
  total: number;
  /** To one target, at first and at most. */
  initial: number;
  max: number;
}
