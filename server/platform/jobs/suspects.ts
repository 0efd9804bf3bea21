import { pool } from "@/server/platform/db";
import { bool, queryRows } from "@/server/platform/rows";

/** What a job reads: its task, and the value of the member that says of what. */
export interface Reading {
  task: string;
  subject: string;
}

/** Why something is not read again. */
export const tookWorkerDown = "reading this took the worker down";

/** What is known against something that was read when a worker ended; null when nothing is. */
export async function findSuspect({ task, subject }: Reading): Promise<{ refused: boolean } | null> {
  const statement = "select refused from suspects where task = $1 and subject = $2";
  const [suspect] = await queryRows(pool, { refused: bool }, statement, [task, subject]);
  return suspect ?? null;
}

/** Forgets what is known against something that was read to its end. */
export const clearSuspect = async ({ task, subject }: Reading): Promise<void> =>
  void (await pool.query("delete from suspects where task = $1 and subject = $2", [task, subject]));

/** Lets something that was refused be read once more if it is asked for again: alone, and at most until the next end. */
export const allowSuspect = async ({ task, subject }: Reading): Promise<void> =>
  void (await pool.query(
    "update suspects set refused = false, ends_alone = 0, updated_at = now() where task = $1 and subject = $2",
    [task, subject],
  ));
