import { type DeviceStatus, deviceStatuses, heartbeatTiming } from "@/domain/devices/connectivity";
import { hasPart, keepSeen } from "@/server/features/health/points-queries";
import type { PointRow } from "@/server/features/health/points-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, type OnDb } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { addJob } from "@/server/platform/jobs/queue";
import { metrics } from "@/server/platform/metrics";
import { announcement, announcementPayload } from "@/server/platform/realtime/changes";
import { bool, int8, notNull, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** A heartbeat as a row of the statement that writes it. */
export interface Beat {
  uid: string;
  organization_id: string;
  /** When the device says that it was measured, or when it was received. */
  seen_at: Date;
  /** Whether the device said when. */
  timed: boolean;
  /** Until when it shows that the device is there. */
  alive_at: Date;
  /** When it was received. */
  at: Date;
  status: DeviceStatus | null;
  firmware_version: string | null;
  /** Merged with the device's. */
  metadata: Record<string, unknown> | null;
  metrics: Record<string, unknown> | null;
  /** The metrics as rows; null when it is too late for them. */
  list: number | null;
  values: PointRow["values"] | null;
  states: PointRow["states"] | null;
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
  /** Whether the day of its points has no part. */
  lost: notNull(bool),
  /** Selected so that PostgreSQL adds the jobs and announcements. */
  effects: notNull(int8),
};

export interface Recorded {
  status: DeviceStatus;
  last_seen_at: Date;
}

/**
 * Writes heartbeats of different devices in one statement; those of devices that do not exist are left out of the result.
 * One that is older than a point of its device is kept and shows only that the device is there, whose clock may have been
 * set back; not so soon after a device said that it goes offline, when it may have been overtaken. Maintenance is set and
 * ended by operators; otherwise the reported status applies, online by default. A changed status is audited, logged and
 * announced, another firmware is logged, and the alerts of devices that are back are resolved by a job.
 */
export async function writeBeats(on: OnDb, beats: readonly Beat[]): Promise<Map<string, Recorded>> {
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
        seen_at timestamptz, timed boolean, alive_at timestamptz, at timestamptz, status text, firmware_version text, metadata jsonb, metrics jsonb,
        list int, values float8[], states jsonb, actor_type text,
        actor_id text, actor_name text, ip text, request_id text, audit_uid text, log_uid text)
    ), locked as materialized (
      select d.uid, d.number, d.name, d.status, d.firmware_version as firmware, d.last_seen_at as seen_before,
        d.metrics as metrics_before from devices d
        join beat b on b.uid = d.uid and b.organization_id = d.organization_id
      order by d.uid for no key update of d
    ), ordered as materialized (
      -- No point of a device is later than when it was last there, so that only earlier ones are looked for.
      select l.*, case when b.seen_at < l.seen_before then (select p.at from metric_points p
          where p.device = l.number and p.at > b.seen_at order by p.at limit 1) end as next_at
      from beat b join locked l on l.uid = b.uid
    ), counted as (
      select b.*, o.number, o.metrics_before, o.name, o.firmware, o.status as before, o.next_at,
        o.next_at is null or not b.timed as counts,
        b.alive_at >= b.at and b.status is distinct from 'offline' and (o.status <> 'offline'
          or o.seen_before < b.at - make_interval(secs => ${heartbeatTiming.offlineAfterSeconds}::int)) as is_there
      from beat b join ordered o on o.uid = b.uid
    ), seen as (
      select uid, organization_id, number, seen_at, alive_at, at, name, firmware, before, metrics_before, next_at,
        counts or is_there as is_there, list, "values", states, actor_type, actor_id, actor_name, ip, request_id, audit_uid,
        log_uid,
        case when counts then firmware_version end as firmware_version, case when counts then metadata end as metadata,
        case when counts then metrics end as metrics, counts and status is not null as reported,
        ${hasPart(Prisma.sql`seen_at`)} as has_part,
        case when before = 'maintenance' then before when counts then coalesce(status, 'online')
          when is_there then 'online' else before end as after
      from counted
    ), updated as (
      update devices d set
        status = s.after,
        last_seen_at = case when s.is_there then greatest(d.last_seen_at, s.alive_at) else d.last_seen_at end,
        firmware_version = coalesce(s.firmware_version, d.firmware_version),
        metadata = coalesce(s.metadata, d.metadata),
        metrics = coalesce(s.metrics, d.metrics),
        updated_at = case when s.before = s.after and s.metadata is null then d.updated_at else now() end
      from seen s where d.uid = s.uid
      returning d.uid, d.last_seen_at, s.after
    ), ${keepSeen}, changed as materialized (
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
    select u.uid, u.after as status, u.last_seen_at, s.list is not null and not s.has_part as lost,
      (select count(*) from recovered) + (select count(*) from announced) as effects
    from updated u join seen s on s.uid = u.uid`,
  );
  const lost = rows.filter((row) => row.lost).length;
  if (lost > 0) metrics.lostPoints.inc(lost);
  return new Map(rows.map((row) => [row.uid, row]));
}

/** The members of a row by which a change that a heartbeat causes is audited and logged. */
export const describeAuthor = (ctx: Ctx) => ({
  actor_type: ctx.actor.type,
  actor_id: ctx.actor.id,
  actor_name: ctx.actor.name,
  ip: ctx.ip,
  request_id: ctx.requestId,
  audit_uid: uuidv7(),
  log_uid: uuidv7(),
});
