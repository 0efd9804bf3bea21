import { version } from "graphile-worker/dist/version.js";
import type pg from "pg";
import type { OnDb } from "@/server/platform/db";
import { endsAlone, readMembers } from "@/server/platform/jobs/definitions";
import {
  bool,
  float8,
  int2,
  int4,
  jsonObject,
  nullable,
  oneOf,
  queryRows,
  text,
  timestamptz,
  type Wire,
} from "@/server/platform/rows";

/**
 * The supported version. All statements on graphile-worker's private tables are in this file, because they may change
 * with any version; Muster does not start with another one.
 */
const supported = { version: "0.17.3", migration: 19 } as const;

/** A pool, client or transaction of `pg`, or something with the same interface. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Adapts a connection or transaction of Prisma to the interface of `pg`. */
export const queryable = ({ db }: OnDb): Queryable => ({
  query: async (text, values = []) => ({ rows: await db.$queryRawUnsafe<unknown[]>(text, ...values) }),
});

/** Throws an Error for the operator when the installed graphile-worker is not the supported version. */
export function checkQueuePackage(installed: string = version): void {
  if (installed === supported.version) return;
  throw new Error(
    `This Muster works with graphile-worker ${supported.version}, and ${installed} is installed. Run npm ci.`,
  );
}

/** Throws an Error for the operator when the job queue of a database does not have the supported version's schema. */
export async function checkQueueSchema(db: pg.Pool | pg.ClientBase): Promise<void> {
  const found = await queueMigration(db);
  if (found === supported.migration) return;
  throw new Error(
    `The job queue of this database is of another version (migration ${found}) than this Muster works with ` +
      `(${supported.migration}). Start the Muster that last used the database, or a newer one.`,
  );
}

/** Whether a database has the job queue of the supported version. */
export async function hasQueueSchema(db: pg.Pool | pg.ClientBase): Promise<boolean> {
  const statement = "select to_regclass('graphile_worker.migrations') is not null as made";
  const [row] = await queryRows(db, { made: bool }, statement);
  return row?.made === true && (await queueMigration(db)) === supported.migration;
}

/** The newest migration of a database's job queue. */
export async function queueMigration(db: pg.Pool | pg.ClientBase): Promise<number> {
  const statement = "select coalesce(max(id), 0)::int as id from graphile_worker.migrations";
  const [newest] = await queryRows(db, { id: int4 }, statement);
  return newest?.id ?? 0;
}

/**
 * The jobs of the queue, for a `from` clause: `id`, `task` (its definition's name), `payload`, `key`, `attempts`,
 * `max_attempts`, `last_error`, `locked_by` (the worker pool that runs it), `exhausted`: no attempt is left, and `reading`:
 * its attempt reads what was uploaded.
 */
export const queueJobs = `(
  select j.id, t.identifier as task, j.payload, j.key, j.attempts, j.max_attempts, j.last_error, j.locked_by,
    (j.flags->'reading'->>'attempt')::int is not distinct from j.attempts and j.locked_by is not null as reading,
    j.attempts >= j.max_attempts and j.locked_by is null as exhausted
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id)`;

type JobAttempt = Readonly<{ jobId: string; attempt: number }>;

/**
 * Whether an attempt still owns its job, which is neither finished nor given to another worker. If so, locks the job's
 * row until the transaction of `db` ends.
 */
export async function holdAttempt(db: Queryable, { jobId, attempt }: JobAttempt): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 as held from graphile_worker._private_jobs
     where id = $1::bigint and attempts = $2::int and locked_by is not null for update`,
    [jobId, attempt],
  );
  return rows.length > 0;
}

/** Whether the key of a job was used again while it ran: another job does its work, and this one has no attempt left. */
export async function wasReplaced(db: Queryable, job: { id: string; key: string | null }): Promise<boolean> {
  if (job.key === null) return false;
  const statement = "select 1 as replaced from graphile_worker._private_jobs where id = $1::bigint and key is null";
  const { rows } = await db.query(statement, [job.id]);
  return rows.length > 0;
}

/** Notes in a job's flags that an attempt reads what was uploaded. False when it does not own its job any more. */
export async function noteReading(db: Queryable, at: JobAttempt & { alone: boolean }): Promise<boolean> {
  const { rows } = await db.query(
    `update graphile_worker._private_jobs set flags = coalesce(flags, '{}')
       || jsonb_build_object('reading', jsonb_build_object('attempt', attempts, 'alone', $3::boolean))
     where id = $1::bigint and attempts = $2::int and locked_by is not null returning id`,
    [at.jobId, at.attempt, at.alone],
  );
  return rows.length > 0;
}

/**
 * Releases the jobs of worker pools without a heartbeat for some seconds, also of pools that died before their first one.
 * Returns one row per pool. Jobs whose row a paused worker has locked are skipped: waiting would delay our heartbeats. A job
 * whose key was used again while it ran has no attempt left and another that does its work: it is removed. What was read
 * becomes a suspect: read alone, it is refused in an attempt left for that, where its process was deaf or the third time.
 */
export const releaseLostJobs = (deadAfterSeconds: number): { text: string; values: unknown[] } => ({
  text: `
  with lost as (
    select j.id, j.locked_by, j.attempts, j.flags, t.identifier as task, j.payload->>r.member as subject
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    left join jsonb_each_text($2::jsonb) as r(task, member) on r.task = t.identifier
    where j.locked_at < now() - make_interval(secs => $1) and j.locked_by not in
      (select pool_id from worker_heartbeats where seen_at >= now() - make_interval(secs => $1)) for update of j skip locked
  ), queues as (
    update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
    where q.locked_by in (select locked_by from lost)
  ), superseded as (
    delete from graphile_worker._private_jobs j using lost where j.id = lost.id and j.key is null and j.attempts >= j.max_attempts
      and exists (select 1 from graphile_worker._private_jobs s
        where s.task_id = j.task_id and s.key is not null and s.payload::text = j.payload::text) returning j.id
  ), read as (
    select task, subject, bool_or((flags->'reading'->>'alone')::boolean) as alone,
      bool_or(exists (select from worker_heartbeats h join deaf_processes d on d.process_id = h.process_id
        where h.pool_id = locked_by)) as deaf
    from lost where subject is not null and (flags->'reading'->>'attempt')::int = attempts group by task, subject
  ), suspected as (
    insert into suspects as s (task, subject, ends, ends_alone, refused, updated_at)
    select task, subject, 1, alone::int, alone and deaf, now() from read
    on conflict (task, subject) do update set ends = s.ends + 1, ends_alone = s.ends_alone + excluded.ends_alone,
      refused = s.refused or excluded.refused or s.ends_alone + excluded.ends_alone >= $3::int, updated_at = now()
    returning task, subject, refused
  ), jobs as (
    update graphile_worker._private_jobs j set locked_at = null, locked_by = null,
      attempts = case when s.refused then least(j.attempts, j.max_attempts - 1) else j.attempts end
    from lost left join suspected s using (task, subject) where j.id = lost.id and j.id not in (select id from superseded)
  ) select distinct locked_by from lost`,
  values: [deadAfterSeconds, JSON.stringify(readMembers), endsAlone],
});

/** Releases every job: in a database that was just restored, none is running. */
export async function releaseAllJobs(db: Queryable): Promise<void> {
  for (const table of ["_private_jobs", "_private_job_queues"]) {
    await db.query(
      `update graphile_worker.${table} set locked_at = null, locked_by = null where locked_at is not null`,
    );
  }
}

/** Removes the jobs of these tasks that have no attempt left. Resolves to their number. */
export async function removeExhaustedJobs(db: Queryable, tasks: readonly string[]): Promise<number> {
  const { rows } = await db.query(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = any($1::text[]) and j.attempts >= j.max_attempts and j.locked_by is null
     returning j.id`,
    [tasks],
  );
  return rows.length;
}

/** One of `jobStates`, of a row `j`. */
const jobState = `case when j.locked_by is not null then 'running' when j.attempts >= j.max_attempts then 'exhausted'
  when j.run_at > now() then 'scheduled' else 'waiting' end`;

/** The number of jobs of a task by their state, and for how many seconds the oldest waiting one has been due. */
export const jobCountRow = {
  task: text,
  waiting: int4,
  scheduled: int4,
  running: int4,
  exhausted: int4,
  oldest_seconds: float8,
};

/** Counts the jobs of every task that has any. */
export function countJobs(db: pg.Pool | pg.ClientBase): Promise<Wire<typeof jobCountRow>[]> {
  return queryRows(db, jobCountRow, {
    name: "count-jobs",
    text: `select t.identifier as task,
          count(*) filter (where state = 'waiting')::int as waiting,
          count(*) filter (where state = 'scheduled')::int as scheduled,
          count(*) filter (where state = 'running')::int as running,
          count(*) filter (where state = 'exhausted')::int as exhausted,
          coalesce(extract(epoch from now() - min(run_at) filter (where state = 'waiting')), 0)::float8
            as oldest_seconds
        from (select j.task_id, j.run_at, ${jobState} as state from graphile_worker._private_jobs j) j
        join graphile_worker._private_tasks t on t.id = j.task_id group by t.identifier`,
  });
}

const jobStates = ["waiting", "scheduled", "running", "exhausted"] as const;

const listedJobRow = {
  id: text,
  task: text,
  /** `scheduled` for later, or `exhausted`: no attempt is left. */
  state: oneOf(jobStates),
  attempts: int2,
  max_attempts: int2,
  run_at: timestamptz,
  created_at: timestamptz,
  last_error: nullable(text),
  payload: jsonObject,
};
export type ListedJob = Wire<typeof listedJobRow>;

export interface JobFilters {
  /**
   * `failed`: its last attempt failed, whether or not one is left, or all ended with their workers, without an error.
   * `waiting`: it is due and does not run.
   */
  only?: "failed" | "waiting" | undefined;
  task?: string | undefined;
  /** Lists jobs with higher ids. */
  after: string;
  limit: number;
}

/** Lists jobs of the queue by their ids, which is the order in which they were added. */
export const listJobs = (db: pg.Pool | pg.ClientBase, { only, task, after, limit }: JobFilters): Promise<ListedJob[]> =>
  queryRows(
    db,
    listedJobRow,
    `select id::text, task, state, attempts, max_attempts, run_at, created_at, last_error, payload from (
       select j.id, t.identifier as task, j.attempts, j.max_attempts, j.run_at, j.created_at, j.last_error, j.payload,
         ${jobState} as state
       from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id) j
     where id > $1::bigint and ($2::text is null or task = $2) and case $3::text
       when 'failed' then state = 'exhausted' or state <> 'running' and last_error is not null
       when 'waiting' then state = 'waiting' else true end
     order by j.id limit $4::int`,
    [after, task ?? null, only ?? null, limit],
  );

/**
 * Lets jobs run immediately with all of their attempts: those with these ids, or all of a task whose last attempt
 * failed. Running ones are left alone. Resolves to the ids of those that will run.
 */
export async function retryJobs(
  db: pg.Pool | pg.ClientBase,
  which: { ids: readonly string[] } | { task: string },
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: text },
    `select r.id::text from (select array_agg(j.id) as ids from graphile_worker._private_jobs j
         join graphile_worker._private_tasks t on t.id = j.task_id
         where j.locked_by is null
           and (j.id = any($1::bigint[])
             or t.identifier = $2 and (j.last_error is not null or j.attempts >= j.max_attempts))) chosen,
       lateral graphile_worker.reschedule_jobs(chosen.ids, run_at := now(), attempts := 0) r order by r.id`,
    "ids" in which ? [which.ids, null] : [[], which.task],
  );
  return rows.map(({ id }) => id);
}

/** Removes jobs that have had no attempt left for so many days, at most 10,000. Resolves to their number. */
export async function removeLongExhaustedJobs(db: Queryable, days: number): Promise<number> {
  const { rows } = await db.query(
    `delete from graphile_worker._private_jobs where id in (
       select id from graphile_worker._private_jobs where attempts >= max_attempts and locked_by is null
         and updated_at < now() - make_interval(days => $1::int) limit 10000)
     returning id`,
    [days],
  );
  return rows.length;
}

/**
 * The jobs that worker pools have taken, and for how long. The attempt of a `rekeyed` one may be an earlier one: the queue sets
 * it to the last when a running job's key is used again.
 */
const takenJobRow = { id: text, attempt: int2, seconds: float8, rekeyed: bool };

/** Lists the jobs that these worker pools have taken. */
export const listTakenJobs = (
  db: pg.Pool | pg.ClientBase,
  poolIds: readonly string[],
): Promise<Wire<typeof takenJobRow>[]> =>
  queryRows(
    db,
    takenJobRow,
    `select id::text, attempts as attempt, extract(epoch from now() - locked_at)::float8 as seconds,
       key is null and attempts >= max_attempts as rekeyed
     from graphile_worker._private_jobs where locked_by = any($1::text[])`,
    [poolIds],
  );

/** Releases jobs that these worker pools have taken, unless they were taken again since. */
export async function releaseTakenJobs(
  db: Queryable,
  poolIds: readonly string[],
  taken: readonly { id: string; attempt: number }[],
): Promise<void> {
  await db.query(
    `with taken as (
       select j.id, j.job_queue_id from graphile_worker._private_jobs j
       join unnest($2::bigint[], $3::int[]) as t(id, attempt) on t.id = j.id and t.attempt = j.attempts
       where j.locked_by = any($1::text[]) for update of j
     ), queues as (
       update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
       where q.id in (select job_queue_id from taken) and q.locked_by = any($1::text[])
     )
     update graphile_worker._private_jobs j set locked_at = null, locked_by = null from taken where j.id = taken.id`,
    [poolIds, taken.map(({ id }) => id), taken.map(({ attempt }) => attempt)],
  );
}

/** Locks a job and its queue for a worker pool, as graphile-worker did so many seconds ago. Resolves to the number of the attempt. */
export async function lockJob(
  db: pg.Pool | pg.ClientBase,
  id: string,
  poolId: string,
  secondsAgo = 0,
): Promise<number> {
  const [job] = await queryRows(
    db,
    { attempts: int2 },
    `with job as (
       update graphile_worker._private_jobs
       set attempts = attempts + 1, locked_by = $2, locked_at = now() - make_interval(secs => $3::float8)
       where id = $1::bigint returning attempts, job_queue_id, locked_at
     ), queue as (
       update graphile_worker._private_job_queues q set locked_by = $2, locked_at = job.locked_at
       from job where q.id = job.job_queue_id
     )
     select attempts from job`,
    [id, poolId, secondsAgo],
  );
  return job?.attempts ?? 0;
}
