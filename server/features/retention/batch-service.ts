import { setTimeout as delay } from "node:timers/promises";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction, type OnDb } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { arrayOf, text } from "@/server/platform/rows";

/** Rows that one statement deletes at most. */
export const batchSizes = { rows: 1_000, recordings: 20 };

/** A table whose rows hang on those deleted, and where they are: a condition on `c`. */
export interface Child {
  table: string;
  where: (keys: readonly string[]) => Prisma.Sql;
}

/** Rows of one table that are deleted. */
export interface Deletion {
  table: string;
  /** The column that names a row of `where`. */
  key: "uid" | "recording_id";
  /** Which rows are old enough: a condition on `t` that an index carries in the order `by`. */
  where: Prisma.Sql;
  /** Where to find the next: in the order of the key, beyond rows that stay, or among the oldest. */
  by: "key" | { oldest: Prisma.Sql };
  /** Which of them may be deleted now. */
  ready: Prisma.Sql;
  /** Those without children first. */
  children: readonly Child[];
}

interface Step {
  /** The last key that was looked at; null when there was none. */
  last: string | null;
  deleted: number;
  /** Whether rows are left because their children come first. */
  repeat: boolean;
}

const none: Step = { last: null, deleted: 0, repeat: false };

/** Deletes the children of rows, up to the size of a batch of each table. Resolves to whether none is left. */
export async function deleteChildren(
  tx: OnDb,
  children: readonly Child[],
  keys: readonly string[],
  limit = batchSizes.rows,
): Promise<boolean> {
  for (const { table, where } of children) {
    const name = Prisma.raw(table);
    const count = await execute(
      tx,
      Prisma.sql`delete from ${name} where ctid = any(array(
        select c.ctid from ${name} c where ${where(keys)} limit ${limit}::int))`,
    );
    if (count >= limit) return false;
  }
  return true;
}

async function deleteBatch(tx: OnDb, deletion: Deletion, after: string): Promise<Step> {
  const { where, ready, by, children } = deletion;
  const [table, key] = [Prisma.raw(deletion.table), Prisma.raw(deletion.key)];
  const next = by === "key" ? Prisma.sql`and t.${key} > ${after} order by t.${key}` : Prisma.sql`order by ${by.oldest}`;
  const keys = { keys: arrayOf(text) };
  const [seen] = await query(
    tx,
    keys,
    Prisma.sql`select array(select t.${key} from ${table} t where ${where} ${next} limit ${batchSizes.rows}::int) as keys`,
  );
  const last = seen?.keys.at(-1);
  if (!seen || last === undefined) return none;
  const [locked] = await query(
    tx,
    keys,
    Prisma.sql`select array(select t.${key} from ${table} t where ${where} and t.${key} = any(${seen.keys}::text[])
      and ${ready} order by t.${key} for update skip locked) as keys`,
  );
  if (!locked || locked.keys.length === 0) return { ...none, last: by === "key" ? last : null };
  if (!(await deleteChildren(tx, children, locked.keys))) return { last, deleted: 0, repeat: true };
  const deleted = await execute(
    tx,
    Prisma.sql`delete from ${table} t where ${where} and t.${key} = any(${locked.keys}::text[])`,
  );
  return { last, deleted, repeat: false };
}

/** Rests for half as long as the last batch took, so that others come first. */
export const rest = (run: Pick<JobRun, "signal">, startedAt: number): Promise<void> =>
  delay((performance.now() - startedAt) / 2, undefined, { signal: run.signal });

/**
 * Deletes rows in batches of a transaction each, with a rest between them, and stops when the worker does. `get` is
 * called in each transaction: it resolves to what is to be deleted, or to null to stop; `onDeleted` counts in it.
 * Resolves to the number of rows.
 */
export async function deleteInBatches(
  run: Pick<JobRun, "signal">,
  get: (tx: OnDb) => Promise<Deletion | null>,
  onDeleted: (tx: OnDb, rows: number) => Promise<void> = async () => {},
): Promise<number> {
  let [after, total] = ["", 0];
  for (;;) {
    run.signal.throwIfAborted();
    const startedAt = performance.now();
    const step = await transaction({ db: prisma } satisfies OnDb, async (tx) => {
      const deletion = await get(tx);
      const done = deletion ? await deleteBatch(tx, deletion, after) : none;
      if (done.deleted > 0) await onDeleted(tx, done.deleted);
      return done;
    });
    total += step.deleted;
    if (step.last === null) return total;
    if (!step.repeat) after = step.last;
    await rest(run, startedAt);
  }
}
