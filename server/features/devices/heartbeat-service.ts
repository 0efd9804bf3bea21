import { heartbeatTiming, type DeviceStatus, deviceStatuses } from "@/domain/devices/connectivity";
import type { Heartbeat } from "@/domain/devices/schema";
import { mergeMetadata } from "@/server/features/devices/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction, type OnDb } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { addJob } from "@/server/platform/jobs/queue";
import { Batcher } from "@/server/platform/outbox/batcher";
import { processWide } from "@/server/platform/process-wide";
import { announcement, announcementPayload } from "@/server/platform/realtime/changes";
import { int8, jsonbObject, notNull, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";
import { findOutage } from "@/server/platform/unavailable";

/** The response to a heartbeat; times as ISO text, intervals in seconds. */
export interface HeartbeatReceipt {
  uid: string;
  status: DeviceStatus;
  last_seen_at: string;
  server_time: string;
  interval_seconds: number;
  offline_after_seconds: number;
}

/** The device that a heartbeat is for. A device sends its own only, for which `me` stands; others are `not_found`. */
export function resolveDevice(ctx: Ctx, uid: string): string {
  if (ctx.actor.type !== "device") {
    if (uid === "me") throw forbidden();
    return uid;
  }
  if (uid !== "me" && uid !== ctx.actor.id) throw notFound();
  return ctx.actor.id;
}

/** A heartbeat as a row of the statement that writes it. */
interface Beat {
  uid: string;
  organization_id: string;
  seen_at: Date;
  /** When it was received. */
  at: Date;
  status: DeviceStatus | null;
  firmware_version: string | null;
  /** Merged with the device's. */
  metadata: Record<string, unknown> | null;
  metrics: Record<string, unknown> | null;
  actor_type: string;
  actor_id: string;
  actor_name: string;
  ip: string | null;
  request_id: string | null;
  audit_uid: string;
  log_uid: string;
}

const recordedRow = {
  uid: text,
  status: oneOf(deviceStatuses),
  last_seen_at: notNull(timestamptz),
  /** Selected so that PostgreSQL adds the jobs and announcements. */
  effects: notNull(int8),
};

interface Recorded {
  status: DeviceStatus;
  last_seen_at: Date;
}

/**
 * Writes heartbeats of different devices in one statement; those of devices that do not exist are left out of the
 * result. Maintenance is set and ended by operators; otherwise the reported status applies, online by default. A changed
 * status is audited, logged and announced, another firmware is logged, and the alerts of devices that are back are resolved by a job.
 */
async function writeBeats(on: OnDb, beats: readonly Beat[]): Promise<Map<string, Recorded>> {
  const announcements = [...new Set(beats.map((beat) => beat.organization_id))].map((organizationId) => {
    const uids = beats.filter((beat) => beat.organization_id === organizationId).map(({ uid }) => uid);
    const payload = announcementPayload(organizationId, "device", uids, "updated");
    return { organization_id: organizationId, payload };
  });
  const recovery = Prisma.sql`json_build_object('organizationId', organization_id, 'deviceIds', json_agg(uid))`;
  const rows = await query(
    on,
    recordedRow,
    Prisma.sql`with beat as (
      select * from json_to_recordset(${JSON.stringify(beats)}::json) as b(uid text, organization_id text,
        seen_at timestamptz, at timestamptz, status text, firmware_version text, metadata jsonb, metrics jsonb, actor_type text,
        actor_id text, actor_name text, ip text, request_id text, audit_uid text, log_uid text)
    ), locked as materialized (
      select d.uid, d.name, d.status, d.firmware_version as firmware from devices d
        join beat b on b.uid = d.uid and b.organization_id = d.organization_id
      order by d.uid for no key update of d
    ), seen as (
      select b.*, l.name, l.firmware, l.status as before, b.status is not null as reported,
        case when l.status = 'maintenance' then l.status else coalesce(b.status, 'online') end as after
      from beat b join locked l on l.uid = b.uid
    ), updated as (
      update devices d set
        status = s.after,
        last_seen_at = greatest(d.last_seen_at, s.seen_at),
        firmware_version = coalesce(s.firmware_version, d.firmware_version),
        metadata = coalesce(s.metadata, d.metadata),
        metrics = coalesce(s.metrics, d.metrics),
        updated_at = case when s.before = s.after and s.metadata is null then d.updated_at else now() end
      from seen s where d.uid = s.uid
      returning d.uid, d.last_seen_at, s.after
    ), changed as materialized (
      select s.* from seen s join updated u on u.uid = s.uid where s.before <> s.after
    ), audited as (
      insert into audit_entries (uid, organization_id, actor_type, actor_id, actor_name, action, target_type, target_id,
        target_name, before, after, ip, request_id)
      select audit_uid, organization_id, actor_type, actor_id, actor_name, 'device.status_changed', 'device', uid, name,
        jsonb_build_object('status', before), jsonb_build_object('status', after), ip, request_id from changed
    ), logged as (
      insert into device_status_changes (uid, organization_id, device_id, status, reason, at)
      select log_uid, organization_id, uid, after,
        case when reported then 'reported by the device' else 'heartbeat' end, at
      from changed
    ), flashed as (
      insert into device_firmware_changes (uid, organization_id, device_id, before, after, at)
      select log_uid, organization_id, uid, firmware, firmware_version, at from seen
      where firmware <> firmware_version
    ), recovered as materialized (
      select ${addJob(jobs.devicesRecovered, recovery)} from changed where before = 'offline' group by organization_id
    ), announced as materialized (
      select ${announcement(Prisma.sql`a.payload`)}
      from json_to_recordset(${JSON.stringify(announcements)}::json) as a(organization_id text, payload text)
      where a.organization_id in (select organization_id from changed)
    )
    select uid, after as status, last_seen_at,
      (select count(*) from recovered) + (select count(*) from announced) as effects from updated`,
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

/** A heartbeat that waits to be written, and what was written. */
interface Waiting {
  beat: Beat;
  recorded: Recorded | undefined;
}

async function writeBatch(batch: readonly Waiting[]): Promise<void> {
  // A second heartbeat of a device comes after the first, in another statement.
  for (let rest = batch; rest.length > 0;) {
    const first = new Map(rest.toReversed().map((waiting) => [waiting.beat.uid, waiting]));
    const recorded = await writeOnceMore([...first.values()].map(({ beat }) => beat));
    for (const waiting of first.values()) waiting.recorded = recorded.get(waiting.beat.uid);
    rest = rest.filter((waiting) => first.get(waiting.beat.uid) !== waiting);
  }
}

/** After a lost connection once more, which changes nothing when the first was written. */
async function writeOnceMore(beats: readonly Beat[]): Promise<Map<string, Recorded>> {
  try {
    return await writeBeats({ db: prisma }, beats);
  } catch (error) {
    if (findOutage(error) !== "lost") throw error;
    return writeBeats({ db: prisma }, beats);
  }
}

const gatherMs = 2;
/** One batch is collected while another is written; more of them would compete for the same commit. */
const limits = { concurrency: 2, size: 500, waiting: 2_000 };

const waitingBeats = () =>
  processWide("heartbeats", () => new Batcher<Waiting>((batch) => writeBatch(batch), gatherMs, limits));

/** Records a heartbeat. Throws `not_found`; `invalid("timestamp")` more than 5 minutes in the future. */
export async function recordHeartbeat(ctx: Ctx, uidOrMe: string, input: Heartbeat): Promise<HeartbeatReceipt> {
  const uid = resolveDevice(ctx, uidOrMe);
  const now = databaseNow();
  const seenAt = input.timestamp ?? now;
  if (seenAt.getTime() > now.getTime() + 5 * 60_000) {
    throw invalid("timestamp", "Ensure this time is no more than 5 minutes in the future.");
  }
  const beat: Beat = {
    uid,
    organization_id: ctx.organizationId,
    seen_at: seenAt,
    at: now,
    status: input.status ?? null,
    firmware_version: input.firmware_version ?? null,
    metadata: null,
    metrics: input.metrics ?? null,
    actor_type: ctx.actor.type,
    actor_id: ctx.actor.id,
    actor_name: ctx.actor.name,
    ip: ctx.ip,
    request_id: ctx.requestId,
    audit_uid: uuidv7(),
    log_uid: uuidv7(),
  };
  const recorded = await record(ctx, beat, input.metadata);
  if (!recorded) throw notFound();
  return {
    uid,
    status: recorded.status,
    last_seen_at: recorded.last_seen_at.toISOString(),
    server_time: now.toISOString(),
    interval_seconds: heartbeatTiming.intervalSeconds,
    offline_after_seconds: heartbeatTiming.offlineAfterSeconds,
  };
}

/** Together with others that arrive at the same time, unless it is part of a transaction or reads the device first. */
async function record(ctx: Ctx, beat: Beat, metadata: Heartbeat["metadata"]): Promise<Recorded | undefined> {
  if (!metadata && ctx.db === prisma) {
    const waiting: Waiting = { beat, recorded: undefined };
    await waitingBeats().add(waiting);
    return waiting.recorded;
  }
  return transaction(ctx, async (tx) => {
    const [device] = await query(
      tx,
      { metadata: jsonbObject },
      Prisma.sql`select metadata from devices
        where uid = ${beat.uid} and organization_id = ${tx.organizationId} for no key update`,
    );
    if (!device) return undefined;
    const merged = metadata ? mergeMetadata(device.metadata, metadata) : null;
    return (await writeBeats(tx, [{ ...beat, metadata: merged }])).get(beat.uid);
  });
}
