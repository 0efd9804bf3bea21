import { listParts } from "@/server/features/health/parts-service";
import { lockProgress, setProgress, type Progress } from "@/server/features/health/progress-service";
import {
  toBegin,
  merging,
  ofPoints,
  ofRollups,
  writeRollups,
  type Bucket,
} from "@/server/features/health/rollup-queries";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction, type OnDb } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { cachedReader, metrics, onScrape, resultInTime } from "@/server/platform/metrics";
import { float8, int4, notNull, timestamptz } from "@/server/platform/rows";

const minuteMs = 60_000;

/**
 * How much one transaction works on. `settleMinutes`: how long after their end five minutes are taken as complete. Who
 * writes a point later than one minute after that end notes it as late; until the others that statement has ended.
 */
export const rollupSteps = { fineMinutes: 15, hourMinutes: 60, settleMinutes: 3, late: 2_000, runMs: 30_000 };

/** After a step that took longer, the next is of the least length: one of more than a minute would be taken back. */
const quickMs = 3_000;
const leastMinutes = 5;

/** How many steps a run took. `more`: it stopped before the end, and the next one goes on. */
export interface RolledUp {
  fine: number;
  hours: number;
  late: number;
  more: boolean;
}

const earlier = (a: Date, b: Date): Date => (a < b ? a : b);
const later = (a: Date, b: Date): Date => (a > b ? a : b);
const plusMinutes = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * minuteMs);

/** Rollups of all devices, each found by its own rows of the parts, which have no order by time alone. */
const ofAllDevices = (rows: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select made.* from devices d cross join lateral (${rows}) made where d.metric_list is not null`;

/** The statement that makes the rollups of five minutes of every device in a time. */
export const fineRollups = (since: Date, until: Date): Prisma.Sql =>
  writeRollups(
    "5 minutes",
    ofAllDevices(
      ofPoints(
        Prisma.sql`metric_points p`,
        Prisma.sql`p.device = d.number and p.at >= ${since}::timestamptz and p.at < ${until}::timestamptz`,
      ),
    ),
  );

/** The statement that makes the rollups of hours of every device in a time. */
export const hourRollups = (since: Date, until: Date): Prisma.Sql =>
  writeRollups(
    "1 hour",
    ofAllDevices(
      ofRollups(Prisma.sql`p.device = d.number and p.at >= ${since}::timestamptz and p.at < ${until}::timestamptz`),
    ),
  );

/** When the bucket begins in which the database's time, some minutes ago, is. */
async function beginAgo(tx: OnDb, bucket: Bucket, minutes: number): Promise<Date> {
  const [row] = await query(
    tx,
    { at: timestamptz },
    Prisma.sql`select ${toBegin(bucket, Prisma.sql`now() - make_interval(mins => ${minutes}::int)`)}::timestamptz(3) as at`,
  );
  if (!row) throw new Error("the database has no time");
  return row.at;
}

/** Makes the next rollups of five minutes. Resolves to whether there were any to make. */
async function stepFine(tx: OnDb, oldest: Date, minutes: number): Promise<boolean> {
  const progress = await lockProgress(tx);
  const since = later(progress["5m"], oldest);
  const until = earlier(plusMinutes(since, minutes), await beginAgo(tx, "5 minutes", rollupSteps.settleMinutes));
  if (until <= since) return false;
  await execute(tx, fineRollups(since, until));
  await setProgress(tx, "5m", until);
  return true;
}

/** Makes the next rollups of hours whose five minutes are all made. Resolves to whether there were any to make. */
async function stepHours(tx: OnDb, oldest: Date): Promise<boolean> {
  const progress = await lockProgress(tx);
  const since = later(progress["1h"], oldest);
  const until = plusMinutes(since, rollupSteps.hourMinutes);
  if (until > progress["5m"]) return false;
  await execute(tx, hourRollups(since, until));
  await setProgress(tx, "1h", until);
  return true;
}

interface Mark {
  device: number;
  at: Date;
}

/** Marks as a relation `m`, each once. */
const relation = (marks: readonly Mark[]): Prisma.Sql => Prisma.sql`(
  select distinct m.device, m.at from unnest(${marks.map(({ device }) => device)}::int[],
    ${marks.map(({ at }) => at)}::timestamptz[]) as m(device, at) join devices d on d.number = m.device) m`;

/** Makes rollups again to whose points some came late. Resolves to whether there were any to make. */
async function stepLate(tx: OnDb): Promise<boolean> {
  const progress = await lockProgress(tx);
  const marks = await query(
    tx,
    { device: int4, at: timestamptz },
    Prisma.sql`delete from metric_late where id = any(array(
        select id from metric_late where at < ${progress["5m"]}::timestamptz order by id limit ${rollupSteps.late}::int))
      returning device, at`,
  );
  if (marks.length === 0) return false;
  // In statements after that which took the marks: these see every point that they stand for.
  await remakeFine(
    tx,
    marks.filter(({ at }) => at >= progress.raw),
  );
  await mergeFine(
    tx,
    marks.filter(({ at }) => at < progress.raw),
  );
  await remakeHours(tx, marks, progress);
  return true;
}

async function remakeFine(tx: OnDb, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return;
  const where = Prisma.sql`p.device = m.device and p.at >= m.at and p.at < m.at + interval '5 minutes'`;
  const rows = ofPoints(Prisma.sql`metric_points p`, where);
  await execute(
    tx,
    writeRollups("5 minutes", Prisma.sql`select made.* from ${relation(marks)} cross join lateral (${rows}) made`),
  );
}

/**
 * Adds late points to rollups whose other points are there no more. Their rows stay without values, so that none counts
 * twice, however often a device sends it.
 */
async function mergeFine(tx: OnDb, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return;
  await execute(
    tx,
    Prisma.sql`with found as materialized (
      select p.device, p.at, p.list, p."values" from ${relation(marks)} join metric_points p
        on p.device = m.device and p.at >= m.at and p.at < m.at + interval '5 minutes'
      where cardinality(p."values") > 0
    ), counted as (
      update metric_points p set "values" = '{}' from found where p.device = found.device and p.at = found.at
    )
    ${writeRollups("5 minutes", ofPoints(Prisma.sql`found p`, Prisma.sql`true`), merging)}`,
  );
}

async function remakeHours(tx: OnDb, marks: readonly Mark[], progress: Progress): Promise<void> {
  const hours = marks
    .map(({ device, at }) => ({ device, at: new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000) }))
    .filter(({ at }) => at < progress["1h"]);
  if (hours.length === 0) return;
  const rows = ofRollups(Prisma.sql`p.device = m.device and p.at >= m.at and p.at < m.at + interval '1 hour'`);
  await execute(
    tx,
    writeRollups("1 hour", Prisma.sql`select made.* from ${relation(hours)} cross join lateral (${rows}) made`),
  );
}

/**
 * Makes the rollups that are due, in steps of a transaction each, so that a killed worker loses none and makes none twice;
 * for half a minute at most, after which the next run goes on.
 */
export async function rollUp(run: Pick<JobRun, "signal">): Promise<RolledUp> {
  const done: RolledUp = { fine: 0, hours: 0, late: 0, more: false };
  // Nothing older can be there, however long nobody made rollups.
  const parts = await listParts();
  const oldest = (table: string): Date => parts.find((part) => part.table === table)?.since ?? new Date(0);
  const step = (work: (tx: OnDb) => Promise<boolean>): Promise<boolean> => {
    run.signal.throwIfAborted();
    return transaction({ db: prisma } satisfies OnDb, work);
  };
  const startedAt = performance.now();
  let minutes = leastMinutes;
  for (let worked = true; worked;) {
    const stepAt = performance.now();
    done.more = stepAt - startedAt > rollupSteps.runMs;
    if (done.more) return done;
    const fine = await step((tx) => stepFine(tx, oldest("metric_points"), minutes));
    minutes = performance.now() - stepAt < quickMs ? rollupSteps.fineMinutes : leastMinutes;
    const hour = await step((tx) => stepHours(tx, oldest("metric_rollups_5m")));
    const late = await step(stepLate);
    done.fine += Number(fine);
    done.hours += Number(hour);
    done.late += Number(late);
    worked = fine || hour || late;
  }
  return done;
}

/** For how many seconds no rollups of five minutes are made; some minutes where the job runs. */
export async function countSecondsBehind(): Promise<number | null> {
  const [row] = await query(
    { db: prisma },
    { seconds: notNull(float8) },
    Prisma.sql`select extract(epoch from now() - at)::float8 as seconds from metric_progress where name = '5m'`,
  );
  return row?.seconds ?? null;
}

async function readBehind(): Promise<void> {
  const seconds = await resultInTime(countSecondsBehind);
  if (seconds !== null) metrics.rollupsBehind.set(seconds);
}

/** Adds how far rollups are behind to the metrics of this process. */
export const observeRollups = (): void => onScrape("rollups", cachedReader(readBehind));
