import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, sql, transaction, type OnDb } from "@/server/platform/db";
import type { Claim, Identifier, Noted, OutboxDefinition } from "@/server/platform/outbox/definition";
import { float8, int4, notNull, text, type Wire } from "@/server/platform/rows";
import { storedJson } from "@/server/platform/stored-text";

/**
 * How long a claimed row belongs to the process that claimed it, in milliseconds: longer than any attempt takes. After
 * it, another process sends the rows of a worker that died.
 */
export const leaseMs = 45_000;

const raw = (name: Identifier): Prisma.Sql => Prisma.raw(name);

export interface DueOptions {
  /** Targets at their concurrency limit. */
  fullTargets: string[];
  /** Rows under way in this process. */
  exceptRows: string[];
  maxPerTarget: number;
  /** Null for rows of every organization. */
  organizationId: string | null;
}

/** Due rows whose targets are read one by one; with more, the targets are found without reading every row. */
const sampled = 1_000;

/**
 * Lists rows that are due at `at`, earliest first, at most `maxPerTarget` of each target. Those of an organization that
 * is being deleted wait until that is taken back.
 */
export const dueRows = (...input: Parameters<typeof dueStatement>): Promise<{ uid: string; target: string }[]> =>
  sql({ uid: text, target: notNull(text) }, dueStatement(...input));

/** Costs what is due: thousands of targets whose retries are ahead are not looked at. */
export function dueStatement(
  { table, target, sequence }: Pick<OutboxDefinition<object, unknown>, "table" | "target" | "sequence">,
  at: Date,
  { fullTargets, exceptRows, maxPerTarget, organizationId }: DueOptions,
  limit: number,
): Prisma.Sql {
  const [from, column] = [raw(table), Prisma.sql`r.${raw(target)}`];
  const waiting = Prisma.sql`r.status = 'pending' and r.next_attempt_at is not null`;
  const isFirst = sequence
    ? Prisma.sql`and not exists (select 1 from ${from} e where e.${raw(sequence)} = r.${raw(sequence)}
        and e.${raw(target)} = ${column} and e.status = 'pending' and e.uid < r.uid)`
    : Prisma.empty;
  const ofOrganization = organizationId === null ? Prisma.empty : Prisma.sql`and r.organization_id = ${organizationId}`;
  // With a backlog, a loose index scan over the targets, so that the rows of one are not read to find the next.
  return Prisma.sql`with recursive first as materialized (
      select ${column} as target from ${from} r where ${waiting} and r.next_attempt_at <= ${at}::timestamptz
      order by r.next_attempt_at limit ${sampled}
    ), all_targets as (
      select (select min(${column}) from ${from} r where ${waiting}) as target
      where (select count(*) from first) >= ${sampled}
      union all
      select (select min(${column}) from ${from} r where ${waiting} and ${column} > t.target)
        from all_targets t where t.target is not null
    ), targets as (
      select target from first where (select count(*) from first) < ${sampled}
      union select target from all_targets
    ), open as materialized (
      select t.target from targets t
      where t.target is not null and t.target <> all(${fullTargets}::text[]) and not exists (
        select from organizations o where o.deletes_at is not null
          and o.uid = (select r.organization_id from ${from} r where ${waiting} and ${column} = t.target limit 1))
    )
    select due.uid, t.target from open t cross join lateral (
      select r.uid, r.next_attempt_at from ${from} r
      where r.status = 'pending' and ${column} = t.target and r.next_attempt_at <= ${at}::timestamptz
        and r.uid <> all(${exceptRows}::text[]) ${ofOrganization} ${isFirst}
      order by r.next_attempt_at limit ${maxPerTarget}::int) due
    order by due.next_attempt_at limit ${limit}::int`;
}

/** Whether any row is due, as an expression. */
export const anyDue = ({ table }: Pick<OutboxDefinition<never, never>, "table">): Prisma.Sql =>
  Prisma.sql`exists (select from ${raw(table)} r where r.status = 'pending' and r.next_attempt_at <= now())`;

const pendingRow = { name: text, pending: int4, oldest_seconds: float8 };

/** Whether any of these holds. */
export const holdsAny = (...conditions: readonly Prisma.Sql[]): Prisma.Sql =>
  Prisma.sql`(${Prisma.join([...conditions], " or ")})`;

/** Beyond it pending rows are not counted, so that a large backlog is not read for each scrape. */
const maxCounted = 100_000;

/** Counts the pending rows of outboxes, and for how many seconds the oldest one has been due. */
export function countPending(
  definitions: readonly Pick<OutboxDefinition<never, never>, "name" | "table">[],
): Promise<Wire<typeof pendingRow>[]> {
  const counts = definitions.map(
    ({ name, table }) => Prisma.sql`select ${name}::text as name, count(*)::int as pending,
      greatest(0, coalesce(extract(epoch from now() - min(next_attempt_at)), 0))::float8 as oldest_seconds
    from (select next_attempt_at from ${raw(table)}
      where status = 'pending' and next_attempt_at is not null limit ${maxCounted}) r`,
  );
  return sql(pendingRow, Prisma.join(counts, " union all "));
}

const claimRow = { uid: text, organization_id: text, target: text, attempts: int4 };

/** Claims rows for one attempt; those that another process claimed or that are no longer pending are left out. */
export async function claimRows<Row extends object, Target>(
  { table, target, columns, row }: OutboxDefinition<Row, Target>,
  uids: readonly string[],
  at: Date,
): Promise<Claim<Row>[]> {
  const rows: object[] = await sql(
    { ...claimRow, ...row },
    Prisma.sql`update ${raw(table)} r
    set attempts = r.attempts + 1, next_attempt_at = ${new Date(at.getTime() + leaseMs)}::timestamptz,
      updated_at = now()
    where r.uid in (select w.uid from ${raw(table)} w
      where w.uid = any(${uids}::text[]) and w.status = 'pending' and w.next_attempt_at <= ${at}::timestamptz
      order by w.uid for update skip locked)
    returning r.uid, r.organization_id, r.${raw(target)} as target, r.attempts, ${columns}`,
  );
  // Follows from `row` and `claimRow`, but the compiler does not resolve a type parameter through `Wire`.
  return rows as Claim<Row>[];
}

const notedRow = { uid: text };

/**
 * Records the outcomes of attempts together. Resolves to those recorded: when another worker has claimed a row after
 * the lease, only that one's outcome is. Idempotent, so that it can be retried after a lost connection.
 */
export async function noteOutcomes<Row extends object, Target>(
  definition: OutboxDefinition<Row, Target>,
  batch: readonly Noted<Row, Target>[],
): Promise<Noted<Row, Target>[]> {
  const statement = noteStatement(definition, batch);
  const selectRecorded = (rows: readonly { uid: string }[]) => {
    const uids = new Set(rows.map(({ uid }) => uid));
    return batch.filter(({ claim }) => uids.has(claim.uid));
  };
  const { whileNoting } = definition;
  if (!whileNoting) return selectRecorded(await sql(notedRow, statement));
  return transaction({ db: prisma } satisfies OnDb, async (tx) => {
    const noted = selectRecorded(await query(tx, notedRow, statement));
    await whileNoting(tx, noted);
    return noted;
  });
}

function noteStatement<Row extends object, Target>(
  { table, received, assignments, attemptLog }: OutboxDefinition<Row, Target>,
  batch: readonly Noted<Row, Target>[],
): Prisma.Sql {
  const attempts = batch.map(({ uid, claim, outcome, startedAt, durationMs, next }) => ({
    uid: claim.uid,
    attempts: claim.attempts,
    status: outcome.ok ? received : next ? "pending" : "failed",
    next_attempt_at: next?.toISOString() ?? null,
    ok: outcome.ok,
    status_code: outcome.statusCode,
    response: outcome.response,
    error: outcome.error,
    log_uid: uid,
    started_at: startedAt.toISOString(),
    duration_ms: durationMs,
    ...(attemptLog?.requestHeaders && { request_headers: outcome.requestHeaders ?? null }),
  }));
  const headers = attemptLog?.requestHeaders;
  const headersColumn = headers ? Prisma.sql`, ${raw(headers)}` : Prisma.empty;
  const headersValue = headers ? Prisma.sql`, a.request_headers` : Prisma.empty;
  const log = attemptLog
    ? Prisma.sql`, logged as (
        insert into ${raw(attemptLog.table)} (uid, ${raw(attemptLog.row)}, started_at, duration_ms, ok, status_code,
          error, response${headersColumn})
        select a.log_uid, a.uid, a.started_at, a.duration_ms, a.ok, a.status_code, a.error, a.response${headersValue}
        from attempt a join noted on noted.uid = a.uid on conflict (uid) do nothing)`
    : Prisma.empty;
  return Prisma.sql`with attempt as (
      select * from json_to_recordset(${storedJson(attempts)}::json) as a(uid text, attempts int, status text,
        next_attempt_at timestamptz, ok boolean, status_code int, response text, error text, log_uid text,
        started_at timestamptz, duration_ms int, request_headers json)),
    noted as (
      update ${raw(table)} r
      set status = a.status, next_attempt_at = a.next_attempt_at, updated_at = now(), ${assignments}
      from attempt a where r.uid = a.uid and r.status = 'pending' and r.attempts = a.attempts returning r.uid)
    ${log}
    select uid from noted`;
}
