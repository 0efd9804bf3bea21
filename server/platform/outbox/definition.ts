import type { Prisma } from "@/server/platform/database/generated/client";
import type { OnDb } from "@/server/platform/db";
import type { Outcome } from "@/server/platform/http-client/post";
import type { RetryPolicy } from "@/server/platform/outbox/retry";
import { type Declared } from "@/server/platform/rows";

declare const checked: unique symbol;

/** The name of a table or column, which stands in statements as it is. */
export type Identifier = string & { readonly [checked]: true };

/** Makes an identifier of a constant of the code. Throws for what is no plain name. */
export function identifier(name: string): Identifier {
  if (!/^[a-z][a-z_]*$/.test(name)) throw new Error(`not a plain name: ${name}`);
  return name as Identifier;
}

/** A row that this process, and no other, may send now. `attempts` counts this one. */
export type Claim<Row extends object = object> = Row & {
  uid: string;
  organization_id: string;
  target: string;
  attempts: number;
};

/** What became of one attempt, and of the row by it. */
export interface Noted<Row extends object, Target> {
  /** The attempt's own. */
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
 * A table whose rows are to be sent and hold their own state and schedule: `uid`, `organization_id`, `status` (of which
 * `pending` and `failed` are the same everywhere), `attempts`, `next_attempt_at` and `updated_at`.
 */
export interface OutboxDefinition<Row extends object, Target> {
  /** Names it in the log. */
  name: string;
  table: Identifier;
  /** Column with whom a row is for: concurrency is counted by it. The table has an index on it and the schedule. */
  target: Identifier;
  /** Rows of one target with the same value in this column are sent one after the other, by uid; null: in no order. */
  sequence: Identifier | null;
  /** What `send` needs of a row, as a select list over `r`. */
  columns: Prisma.Sql;
  /** What these columns are. */
  row: Declared<Row>;
  /** The status of a row that was received. */
  received: string;
  /**
   * What else of a row `r` an attempt `a` sets, as a list of assignments. `a` has `ok`, `status`, `status_code`,
   * `response` and `error`.
   */
  assignments: Prisma.Sql;
  /** The table with a row for each attempt, and its column with the uid of what was sent. */
  attemptLog: { table: Identifier; row: Identifier } | null;
  retry: RetryPolicy;
  concurrency: Concurrency;
  /** What people read of an attempt that failed by a fault of ours. */
  unsent: string;
  /** Reads targets by their uids; those that are gone are left out. */
  loadTargets: (uids: string[]) => Promise<Map<string, Target>>;
  /** Makes the attempt. */
  send: (claim: Claim<Row>, target: Target) => Promise<Outcome>;
  /** Runs in the transaction that writes outcomes, with those that counted. */
  whileNoting?: (tx: OnDb, noted: readonly Noted<Row, Target>[]) => Promise<void>;
  /** Runs after outcomes were written, with those that counted. */
  afterNoting?: (noted: readonly Noted<Row, Target>[]) => Promise<void>;
}

/** How many attempts are under way at the same time in one process. */
interface Concurrency {
  total: number;
  /** To one target, to begin with and at most. */
  initial: number;
  max: number;
}
