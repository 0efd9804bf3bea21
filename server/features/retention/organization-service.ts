import { getRetentionDays, retentionKinds, type RetentionKind } from "@/domain/organizations/retention";
import { OrganizationSettings } from "@/domain/organizations/schema";
import type { UidKind } from "@/domain/uid";
import { audit } from "@/server/features/audit/service";
import { deleteUnusedTypes } from "@/server/features/events/recording-types-service";
import { deleteRecording } from "@/server/features/recordings/service";
import {
  batchSizes,
  deleteChildren,
  deleteInBatches,
  rest,
  type Child,
} from "@/server/features/retention/batch-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction, type OnDb } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { announceSoon } from "@/server/platform/realtime/changes";
import { arrayOf, int8, jsonbObject, nullable, text, timestamptz } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

/** How many of each kind are gone, and the `bytes` of files. */
export type Freed = Partial<Record<RetentionKind | "bytes", number>>;

/** What of an organization is older than a time, by its index; the rows in question are `t`. */
export const older = (kind: UidKind | null, organizationId: string, before: Date): Prisma.Sql =>
  Prisma.sql`t.organization_id = ${organizationId} and t.uid < ${uidFloor(kind, before.getTime())}`;

/** Which recordings may be deleted: those that no upload or job is working on. */
export const finishedRecordings = (before: Date): Prisma.Sql =>
  Prisma.sql`t.created_at < ${before} and t.status not in ('uploading', 'processing')`;

/** Which alerts may be deleted: those resolved for as long. */
export const resolvedAlerts = (before: Date): Prisma.Sql =>
  Prisma.sql`t.created_at < ${before} and t.status = 'resolved' and coalesce(t.resolved_at, t.updated_at) < ${before}`;

/** Which recordings' events may be deleted: those with events, and without an unresolved alert about them. */
export const recordingsWithEvents = Prisma.sql`
  exists (select 1 from recording_event_types k where k.recording_id = t.uid)
  and not exists (select 1 from alerts a where a.recording_id = t.uid and a.status <> 'resolved')`;

/** The time of the database before which a kind is deleted; null when the organization retains everything. */
async function readLimit(on: OnDb, organizationId: string, kind: RetentionKind): Promise<Date | null> {
  const [row] = await query(
    on,
    { settings: jsonbObject, now: timestamptz },
    Prisma.sql`select settings, now()::timestamptz(3) as now from organizations
      where uid = ${organizationId} and deletes_at is null`,
  );
  const days = getRetentionDays(OrganizationSettings.catch({}).parse(row?.settings).retention, kind);
  return row && days !== null ? new Date(row.now.getTime() - days * 86_400_000) : null;
}

/** Counts in the transaction that deletes, so that a killed worker neither loses nor repeats a count. */
async function count(tx: OnDb, organizationId: string, kind: RetentionKind, rows: number, bytes = 0n): Promise<void> {
  await execute(
    tx,
    Prisma.sql`update retention_runs set freed = freed
        || jsonb_build_object(${kind}::text, coalesce((freed->>${kind}::text)::int8, 0) + ${rows}::int8)
        || case when ${bytes}::int8 = 0 then '{}'::jsonb
            else jsonb_build_object('bytes', coalesce((freed->>'bytes')::int8, 0) + ${bytes}::int8) end
      where organization_id = ${organizationId}`,
  );
}

interface Scope {
  run: JobRun;
  organizationId: string;
}

const childrenBy = (table: string, column: string): Child => ({
  table,
  where: (keys) => Prisma.sql`c.${Prisma.raw(column)} = any(${keys}::text[])`,
});

const ofAlerts: readonly Child[] = [
  {
    table: "notification_attempts",
    where: (keys) => Prisma.sql`c.notification_id in (
      select n.uid from notifications n where n.alert_id = any(${keys}::text[]))`,
  },
  childrenBy("notifications", "alert_id"),
  childrenBy("alert_comments", "alert_id"),
];

/** Deletes what is a row of one table, with its children. */
async function deleteRows({ run, organizationId }: Scope, kind: "alerts" | "audit"): Promise<void> {
  const deleted = await deleteInBatches(
    run,
    async (tx) => {
      const before = await readLimit(tx, organizationId, kind);
      if (!before) return null;
      const rows = { key: "uid", by: "key" } as const;
      return kind === "alerts"
        ? {
            ...rows,
            table: "alerts",
            where: older("alert", organizationId, before),
            ready: resolvedAlerts(before),
            children: ofAlerts,
          }
        : {
            ...rows,
            table: "audit_entries",
            where: older(null, organizationId, before),
            ready: Prisma.sql`t.created_at < ${before}`,
            children: [],
          };
    },
    (tx, rows) => count(tx, organizationId, kind, rows),
  );
  if (kind === "alerts" && deleted > 0) announceSoon({ organizationId }, "alert", organizationId, "deleted");
}

/** Calls `work` for windows of an organization's old recordings, in the order of their creation. */
async function inRecordings(
  { run, organizationId }: Scope,
  kind: "recordings" | "events",
  ready: (before: Date) => Prisma.Sql,
  work: (uids: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let after = ""; ;) {
    run.signal.throwIfAborted();
    const before = await readLimit({ db: prisma }, organizationId, kind);
    if (!before) return;
    const [row] = await query(
      { db: prisma },
      { last: nullable(text), uids: arrayOf(text) },
      Prisma.sql`with seen as materialized (
          select t.* from recordings t where ${older("recording", organizationId, before)} and t.uid > ${after}
          order by t.uid limit ${batchSizes.rows}::int)
        select max(uid) as last, array(select t.uid from seen t where ${ready(before)} order by t.uid) as uids from seen`,
    );
    if (!row || row.last === null) return;
    await work(row.uids);
    after = row.last;
  }
}

/** Deletes up to a batch of the events of some recordings, whose rows it locks. Resolves to how many it deleted. */
async function deleteEventBatch(organizationId: string, recordings: readonly string[]): Promise<number> {
  return transaction(systemContext(prisma, organizationId, "retention"), async (tx) => {
    const before = await readLimit(tx, organizationId, "events");
    if (!before) return 0;
    const [locked] = await query(
      tx,
      { uids: arrayOf(text) },
      Prisma.sql`select array(select t.uid from recordings t
        where t.uid = any(${recordings}::text[]) and t.organization_id = ${organizationId} and ${recordingsWithEvents}
        order by t.uid for update) as uids`,
    );
    if (!locked || locked.uids.length === 0) return 0;
    const rows = await execute(
      tx,
      Prisma.sql`delete from events where ctid = any(array(select c.ctid from events c
        where c.recording_id = any(${locked.uids}::text[]) and c.uid < ${uidFloor("event", before.getTime())}
          and c.created_at < ${before} limit ${batchSizes.rows}::int))`,
    );
    if (rows === 0) return 0;
    for (const uid of locked.uids) await deleteUnusedTypes(tx, uid);
    await count(tx, organizationId, "events", rows);
    return rows;
  });
}

async function deleteEvents({ run, organizationId }: Scope): Promise<void> {
  await inRecordings(
    { run, organizationId },
    "events",
    () => recordingsWithEvents,
    async (uids) => {
      for (let from = 0; from < uids.length; from += batchSizes.recordings) {
        const recordings = uids.slice(from, from + batchSizes.recordings);
        for (let rows = 1; rows > 0;) {
          run.signal.throwIfAborted();
          const startedAt = performance.now();
          rows = await deleteEventBatch(organizationId, recordings);
          await rest(run, startedAt);
        }
        for (const uid of recordings) announceSoon({ organizationId }, "event", uid, "deleted");
      }
    },
  );
}

const ofRecording: readonly Child[] = ["events", "rule_hits", "series", "topics", "signal_files"].map((table) =>
  childrenBy(table, "recording_id"),
);

/**
 * Deletes a recording as a person does but for what alerts kept of it, after the rows that may be many. Resolves to false while those are left, and
 * to true when it is gone or may stay.
 */
async function deleteOne(ctx: Ctx, uid: string): Promise<boolean> {
  return transaction(ctx, async (tx) => {
    const before = await readLimit(tx, tx.organizationId, "recordings");
    if (!before) return true;
    const [recording] = await query(
      tx,
      { bytes: int8 },
      Prisma.sql`select t.size_bytes as bytes from recordings t
        where t.uid = ${uid} and t.organization_id = ${tx.organizationId} and ${finishedRecordings(before)}
        for update skip locked`,
    );
    if (!recording) return true;
    if (!(await deleteChildren(tx, ofRecording, [uid]))) return false;
    await deleteRecording(tx, uid, { keepCaptures: true });
    await count(tx, tx.organizationId, "recordings", 1, recording.bytes);
    return true;
  });
}

async function deleteRecordings({ run, organizationId }: Scope): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "retention");
  await inRecordings({ run, organizationId }, "recordings", finishedRecordings, async (uids) => {
    for (const uid of uids) {
      for (let gone = false; !gone;) {
        run.signal.throwIfAborted();
        const startedAt = performance.now();
        gone = await deleteOne(ctx, uid);
        await rest(run, startedAt);
      }
    }
  });
}

/** Begins a run, or continues one that was interrupted, whose counts then go on. */
const begin = (organizationId: string): Promise<number> =>
  execute(
    { db: prisma },
    Prisma.sql`insert into retention_runs as r (organization_id) select uid from organizations where uid = ${organizationId}
      on conflict (organization_id) do update set started_at = now(), finished_at = null, freed = '{}'
      where r.finished_at is not null`,
  );

/** Ends a run and writes what it freed to the audit log, if anything. */
async function finish(organizationId: string): Promise<Freed> {
  return transaction(systemContext(prisma, organizationId, "retention"), async (tx) => {
    const [row] = await query(
      tx,
      { freed: jsonbObject, name: text },
      Prisma.sql`update retention_runs r set finished_at = now() from organizations o
        where r.organization_id = ${organizationId} and o.uid = r.organization_id returning r.freed, o.name`,
    );
    const freed = (row?.freed ?? {}) as Freed;
    if (row && Object.keys(freed).length > 0) {
      const target = { targetType: "organization", targetId: organizationId, targetName: row.name };
      await audit(tx, { action: "organization.retention_applied", ...target, after: freed });
    }
    return freed;
  });
}

/**
 * Deletes what is older than the organization's retention allows, in batches; an interrupted run is continued by the
 * next attempt. Changed settings count from the next batch. Resolves to what was freed altogether.
 */
export async function applyRetention(organizationId: string, run: JobRun): Promise<Freed> {
  await begin(organizationId);
  const scope = { run, organizationId };
  for (const kind of retentionKinds) {
    if (kind === "recordings") await deleteRecordings(scope);
    else if (kind === "events") await deleteEvents(scope);
    else await deleteRows(scope, kind);
  }
  return finish(organizationId);
}
