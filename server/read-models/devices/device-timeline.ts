import { alertStatuses } from "@/domain/alerts/lifecycle";
import { deviceStatuses } from "@/domain/devices/connectivity";
import { eventTypes } from "@/domain/events/event-type";
import { maxDrawn } from "@/domain/limits";
import { recordingStatuses } from "@/domain/recordings/recording-status";
import { severities } from "@/domain/severity";
import { isoFromNs, nsFromMs } from "@/domain/time/nanoseconds";
import { getDevice } from "@/server/features/devices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

const day = 86_400_000;

const recordingRow = {
  uid: text,
  name: text,
  status: oneOf(recordingStatuses),
  from: timestamptz,
  to: timestamptz,
  open_alerts: int4,
};
const stateRow = { status: oneOf(deviceStatuses), reason: text, at: timestamptz };
const alertRow = {
  uid: text,
  severity: oneOf(severities),
  status: oneOf(alertStatuses),
  rule_name: text,
  message: text,
  at: timestamptz,
  resolved_at: nullable(timestamptz),
};
const unresolved = alertStatuses.filter((status) => status !== "resolved");

const drawnAlert = Prisma.sql`a.uid, a.severity, a.status, a.rule_name, a.message, a.triggered_at as at, a.resolved_at`;

const eventRow = {
  uid: text,
  recording_id: text,
  type: oneOf(eventTypes),
  severity: oneOf(severities),
  label: text,
  ns: text,
};

export interface DeviceTimeline {
  recordings: Wire<typeof recordingRow>[];
  /** In order; the first may precede the window and is then the status at its start. */
  states: Wire<typeof stateRow>[];
  /** Those that triggered in the window, and those from before that lasted into it, of the resolved ones the latest. */
  alerts: Wire<typeof alertRow>[];
  events: (Wire<typeof eventRow> & { at: string })[];
  /** More happened than is returned. */
  capped: boolean;
}

/**
 * The recordings, states, alerts and events of a device in a window of at most 92 days. Throws `not_found`,
 * `invalid("to")`.
 */
export async function deviceTimeline(ctx: Ctx, uid: string, from: Date, to: Date): Promise<DeviceTimeline> {
  const device = await getDevice(ctx, uid);
  if (to <= from || to.getTime() - from.getTime() > 92 * day)
    throw invalid("to", "Ensure the window is between 0 and 92 days long.");
  const org = ctx.organizationId;
  // Rows are created at or after what they describe, up to a difference of clocks.
  const since = from.getTime() - day;
  const own = Prisma.sql`a.organization_id = ${org} and a.device_id = ${uid}`;
  const [recordings, states, alerts, events] = await Promise.all([
    sql(
      recordingRow,
      Prisma.sql`
      select r.uid, r.name, r.status, r.started_at as from, greatest(r.ended_at, r.started_at) as to,
        (select count(*)::int from (select 1 from alerts a where a.recording_id = r.uid and a.organization_id = ${org} and a.status = 'open' limit 99) n) as open_alerts
      from recordings r
      where r.organization_id = ${org} and r.device_id = ${uid} and r.uid >= ${uidFloor("recording", since)}
        and r.started_at < ${to}::timestamptz and r.ended_at >= ${from}::timestamptz
      order by r.uid desc limit ${maxDrawn + 1}`,
    ),
    sql(
      stateRow,
      Prisma.sql`
      (select status, reason, at from device_status_changes where device_id = ${uid} and organization_id = ${org} and at < ${from}::timestamptz
        order by at desc limit 1)
      union all
      (select status, reason, at from device_status_changes where device_id = ${uid} and organization_id = ${org}
        and at >= ${from}::timestamptz and at < ${to}::timestamptz order by at desc limit ${maxDrawn + 1})
      order by at`,
    ),
    sql(
      alertRow,
      Prisma.sql`
      select * from (
        (select ${drawnAlert} from alerts a
          where ${own} and a.uid >= ${uidFloor("alert", since)}
            and a.triggered_at >= ${from}::timestamptz and a.triggered_at < ${to}::timestamptz
          order by a.uid desc limit ${maxDrawn + 1})
        union all
        (select ${drawnAlert} from alerts a
          where ${own} and a.status = any(${[...unresolved]}) and a.triggered_at < ${from}::timestamptz
          order by a.triggered_at desc limit ${maxDrawn + 1})
        union all
        (select * from (select ${drawnAlert} from alerts a
            where ${own} and a.triggered_at < ${from}::timestamptz
            order by a.triggered_at desc limit ${maxDrawn + 1}) a
          where a.status = 'resolved' and a.resolved_at > ${from}::timestamptz)
      ) a order by a.at desc, a.uid desc limit ${maxDrawn + 1}`,
    ),
    sql(
      eventRow,
      Prisma.sql`
      select e.uid, e.recording_id, e.type, e.severity, e.label, e.timestamp_ns::text as ns from events e
      where e.organization_id = ${org} and e.device_id = ${uid} and e.timestamp_ns >= ${nsFromMs(from)} and e.timestamp_ns < ${nsFromMs(to)}
      order by e.timestamp_ns desc, e.uid desc limit ${maxDrawn + 1}`,
    ),
  ]);
  // Without a logged change, the device has had its status since it was registered.
  const known = states.length > 0 ? states : [{ status: device.status, reason: "", at: device.created_at }];
  return {
    recordings: recordings.slice(0, maxDrawn),
    states: known,
    alerts: alerts.slice(0, maxDrawn),
    events: events.slice(0, maxDrawn).map((event) => ({ ...event, at: isoFromNs(BigInt(event.ns)) })),
    capped: [recordings, states, alerts, events].some((list) => list.length > maxDrawn),
  };
}
