import { z } from "zod";
import { listParts, partDays, type PartedTable, type TablePart } from "@/server/features/health/parts-service";
import { lockProgress, setProgress } from "@/server/features/health/progress-service";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction, type OnDb } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import type { JobRun } from "@/server/platform/jobs/handler";
import type { MetricKind, OperatorRetention } from "@/server/platform/operator-retention";
import { bool, timestamptz } from "@/server/platform/rows";

/** By whose days the parts of a table go. */
const kinds: Record<PartedTable, MetricKind> = {
  metric_points: "metrics_raw",
  metric_changes: "metrics_1h",
  metric_rollups_5m: "metrics_5m",
  metric_rollups_1h: "metrics_1h",
};

/** Parts that were emptied and dropped. `later`: those that somebody uses; the next run tries them again. */
export interface RemovedParts {
  emptied: string[];
  dropped: string[];
  later: string[];
}

/** How long heartbeats may wait behind what waits for a part. */
const lockMs = 100;

const LockTimeout = z.object({
  meta: z.object({ driverAdapterError: z.object({ cause: z.object({ originalCode: z.literal("55P03") }) }) }),
});
const isLockTimeout = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && LockTimeout.safeParse(error).success;

/** Runs `work` in a transaction that has a table for itself. Resolves to null when others use the table. */
async function alone<T>(table: string, work: (tx: OnDb) => Promise<T>): Promise<T | null> {
  try {
    return await transaction({ db: prisma } satisfies OnDb, async (tx) => {
      // Before the table, as those do who make rollups.
      await lockProgress(tx);
      await execute(tx, Prisma.sql`set local lock_timeout = ${Prisma.raw(String(lockMs))}`);
      await execute(tx, Prisma.sql`lock table only ${Prisma.raw(`"${table}"`)} in access exclusive mode`);
      return work(tx);
    });
  } catch (error) {
    if (isLockTimeout(error)) return null;
    throw error;
  }
}

/** Whether all rollups of a time are made, so that what they come from may go. */
async function isRolledUp(tx: OnDb, { table, since, until }: TablePart): Promise<boolean> {
  const progress = await lockProgress(tx);
  if (table === "metric_points" && progress["5m"] < until) return false;
  if (table === "metric_rollups_5m" && progress["1h"] < until) return false;
  const [late] = await query(
    tx,
    { there: bool },
    Prisma.sql`select exists (select from metric_late
      where at >= ${since}::timestamptz and at < ${until}::timestamptz) as there`,
  );
  return late?.there === false;
}

/** Empties a part of points. From then on, those that come late for its day are added to its rollups. */
const emptyPart = (part: TablePart): Promise<boolean | null> =>
  alone(part.name, async (tx) => {
    if (!(await isRolledUp(tx, part))) return false;
    await execute(tx, Prisma.sql`truncate ${Prisma.raw(`"${part.name}"`)}`);
    const { raw } = await lockProgress(tx);
    if (raw < part.until) await setProgress(tx, "raw", part.until);
    return true;
  });

/** Dropping a part needs its table for a moment: heartbeats wait meanwhile, at most as long as this waits itself. */
const dropPart = (part: TablePart): Promise<boolean | null> =>
  alone(part.table, async (tx) => {
    if (!(await isRolledUp(tx, part))) return false;
    await execute(tx, Prisma.sql`drop table ${Prisma.raw(`"${part.name}"`)}`);
    return true;
  });

/**
 * Writes what texts and booleans of a part still hold at its end, where the following part begins: a state that has not
 * changed since stays known. Nobody writes to a part that old any more, so it needs its table for itself no longer than
 * to be dropped.
 */
async function carryStates({ table, name, until }: TablePart, parts: readonly TablePart[]): Promise<void> {
  const next = parts.find((each) => each.table === table && each.until > until);
  if (table !== "metric_changes" || !next) return;
  const at = next.since > until ? next.since : until;
  await execute(
    { db: prisma },
    Prisma.sql`insert into metric_changes (device, name, at, value)
      select distinct on (c.device, c.name) c.device, c.name, ${at}::timestamptz, c.value
      from ${Prisma.raw(`"${name}"`)} c where exists (select from devices d where d.number = c.device)
      order by c.device, c.name, c.at desc
      on conflict do nothing`,
  );
}

/**
 * Removes parts whose days are over: those of points are emptied then and dropped after 8 days, so that a late point has a
 * part; the others are dropped when all of their month is over. None goes before the rollups of it are made.
 */
export async function removeParts(
  run: Pick<JobRun, "signal">,
  retention: OperatorRetention = env.RETENTION,
): Promise<RemovedParts> {
  const removed: RemovedParts = { emptied: [], dropped: [], later: [] };
  const [clock] = await query(
    { db: prisma },
    { now: timestamptz, raw: timestamptz },
    Prisma.sql`select now()::timestamptz(3) as now, at as raw from metric_progress where name = 'raw'`,
  );
  if (!clock) throw new Error("the progress of raw is missing");
  const isOver = ({ until }: TablePart, days: number) => until.getTime() <= clock.now.getTime() - days * 86_400_000;
  let emptying = true;
  const parts = await listParts();
  for (const part of parts) {
    run.signal.throwIfAborted();
    const days = retention[kinds[part.table]];
    if (days === null || !isOver(part, days)) continue;
    if (part.table === "metric_points" && emptying && part.until > clock.raw) {
      const done = await emptyPart(part);
      if (done) removed.emptied.push(part.name);
      else removed.later.push(part.name);
      // In order, because one time says which were emptied.
      emptying = done === true;
      if (!done) continue;
    }
    if (!isOver(part, Math.max(days, partDays.back)) || (part.table === "metric_points" && !emptying)) continue;
    await carryStates(part, parts);
    removed[(await dropPart(part)) ? "dropped" : "later"].push(part.name);
  }
  return removed;
}
