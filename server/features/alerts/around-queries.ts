import { severities, type Severity } from "@/domain/severity";
import { dateFromNs } from "@/domain/time/nanoseconds";
import { readAlert } from "@/server/features/alerts/alert-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int8, notNull, nullable, oneOf, text } from "@/server/platform/rows";

const minuteNs = 60_000_000_000n;
/** The nearest of each kind to the alert, at most so many. */
const max = 20;
/** Recordings that are looked at, and how long one may have run before the alert. */
const recordings = { max: 20, before: "2 days" };

const kinds = ["alert", "hit", "event", "gap", "status", "silence", "firmware"] as const;

/** Something else that happened on the device of an alert. Nanoseconds since 1970 as decimal strings. */
export interface HappenedAround {
  kind: (typeof kinds)[number];
  /** The uid of the alert, the event or the silence; for others, what tells them apart. */
  uid: string;
  time_ns: string;
  text: string;
  severity: Severity | null;
  /** The recording that shows the moment; null where none does. */
  recording_id: string | null;
}

/** What a statement of one kind reads: the device, the moments, and the alert itself. */
interface Around {
  organizationId: string;
  deviceId: string;
  ruleId: string;
  alertId: string;
  at: bigint;
  from: bigint;
  to: bigint;
}

const toNs = (column: Prisma.Sql): Prisma.Sql => Prisma.sql`(extract(epoch from ${column}) * 1000)::bigint * 1000000`;

const nearest = (kind: HappenedAround["kind"], at: bigint, rows: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(select ${kind} as kind, n.uid, n.time_ns, n.text, n.severity, n.recording_id from (${rows}) n
    order by abs(n.time_ns - ${at}::bigint), n.uid limit ${max}::int)`;

const otherAlerts = ({ organizationId, deviceId, alertId, from, to }: Around): Prisma.Sql =>
  Prisma.sql`select a.uid, a.triggered_ns as time_ns, a.rule_name as text, a.severity, a.recording_id
    from alerts a where a.device_id = ${deviceId} and a.organization_id = ${organizationId}
      and a.triggered_at between ${dateFromNs(from)} and ${dateFromNs(to)} and a.uid <> ${alertId}`;

/** Hits of other rules, but for those that opened an alert or made an event, which is listed itself. */
const otherHits = ({ organizationId, ruleId, from, to }: Around): Prisma.Sql =>
  Prisma.sql`select h.rule_id || ':' || h.recording_id || ':' || h.position as uid, h.triggered_ns as time_ns,
      u.name as text, null::text as severity, h.recording_id
    from shown s join rule_hits h on h.recording_id = s.uid join rules u on u.uid = h.rule_id
    where h.organization_id = ${organizationId} and h.triggered_ns between ${from}::bigint and ${to}::bigint
      and h.rule_id <> ${ruleId}
      and not exists (select from alerts a where a.rule_id = h.rule_id and a.recording_id = h.recording_id
        and a.triggered_ns = h.triggered_ns)
      and not exists (select from events e where e.rule_id = h.rule_id and e.recording_id = h.recording_id
        and e.timestamp_ns between h.started_ns and h.triggered_ns)`;

const events = ({ organizationId, deviceId, from, to }: Around): Prisma.Sql =>
  Prisma.sql`select e.uid, e.timestamp_ns as time_ns, e.label as text, e.severity, e.recording_id
    from events e where e.device_id = ${deviceId} and e.organization_id = ${organizationId}
      and e.timestamp_ns between ${from}::bigint and ${to}::bigint`;

/** Gaps of recordings that touch the minute, at their start or, where that lies before it, at its beginning. */
const gaps = ({ from, to }: Around): Prisma.Sql =>
  Prisma.sql`select s.uid || ':gap:' || g.start_ns as uid, greatest(g.start_ns, ${from}::bigint) as time_ns,
      case g.kind when 'silence' then 'No messages' else 'Cannot be read' end
        || ' for ' || round((g.end_ns - g.start_ns) / 1e9, 1) || ' s' as text,
      null::text as severity, s.uid as recording_id
    from shown s cross join lateral (select (e->>'start_ns')::bigint as start_ns, (e->>'end_ns')::bigint as end_ns,
        e->>'kind' as kind from jsonb_array_elements(s.gaps) e) g
    where g.start_ns <= ${to}::bigint and g.end_ns >= ${from}::bigint`;

const statuses = ({ organizationId, deviceId, from, to }: Around): Prisma.Sql =>
  Prisma.sql`select c.uid, ${toNs(Prisma.sql`c.at`)} as time_ns,
      c.status || case when c.reason = '' then '' else ': ' || c.reason end as text, null::text as severity,
      null::text as recording_id
    from device_status_changes c where c.device_id = ${deviceId} and c.organization_id = ${organizationId}
      and c.at between ${dateFromNs(from)} and ${dateFromNs(to)}`;

const firmware = ({ organizationId, deviceId, from, to }: Around): Prisma.Sql =>
  Prisma.sql`select f.uid, ${toNs(Prisma.sql`f.at`)} as time_ns, f.before || ' → ' || f.after as text,
      null::text as severity, null::text as recording_id
    from device_firmware_changes f where f.device_id = ${deviceId} and f.organization_id = ${organizationId}
      and f.at between ${dateFromNs(from)} and ${dateFromNs(to)}`;

/** Silences that begin or end within the minute and mute the device, or all devices. */
const silences = ({ organizationId, deviceId, from, to }: Around): Prisma.Sql => {
  const [first, last] = [dateFromNs(from), dateFromNs(to)];
  const list = (name: string) =>
    Prisma.sql`coalesce(case jsonb_typeof(s.matchers->${name}::text) when 'array' then s.matchers->${name}::text end, '[]')`;
  return Prisma.sql`select s.uid, ${toNs(Prisma.sql`b.at`)} as time_ns, b.what || ': ' || s.reason as text,
      null::text as severity, null::text as recording_id
    from silences s cross join lateral (values (s.starts_at, 'Began'), (s.ends_at, 'Ended')) b(at, what)
    where s.organization_id = ${organizationId} and s.ends_at >= ${first} and s.starts_at <= ${last}
      and b.at between ${first} and ${last}
      and (${list("device_ids")} = '[]' or jsonb_exists(${list("device_ids")}, ${deviceId}))
      and (${list("tags")} = '[]' or exists (select from devices d where d.uid = ${deviceId}
        and d.tags @> array(select jsonb_array_elements_text(${list("tags")}))))`;
};

/**
 * What else is known of a device within a minute of an alert: other alerts, hits of other rules, events, gaps of
 * recordings, changes of its status and firmware, and silences. Throws `not_found`.
 */
export async function listAround(ctx: Ctx, uid: string): Promise<HappenedAround[]> {
  const alert = await readAlert(ctx, uid);
  const at = BigInt(new Date(alert.triggered_at).getTime()) * 1_000_000n;
  const [from, to] = [at - minuteNs, at + minuteNs];
  const { organizationId } = ctx;
  const of: Around = { organizationId, deviceId: alert.device_id, ruleId: alert.rule_id, alertId: uid, at, from, to };
  const parts = [
    nearest("alert", at, otherAlerts(of)),
    nearest("hit", at, otherHits(of)),
    nearest("event", at, events(of)),
    nearest("gap", at, gaps(of)),
    nearest("status", at, statuses(of)),
    nearest("silence", at, silences(of)),
    nearest("firmware", at, firmware(of)),
  ];
  const rows = await query(
    ctx,
    {
      kind: oneOf(kinds),
      uid: text,
      time_ns: notNull(int8),
      text,
      severity: nullable(oneOf(severities)),
      recording_id: nullable(text),
    },
    Prisma.sql`with shown as materialized (
        select r.uid, r.gaps from recordings r
        where r.device_id = ${of.deviceId} and r.organization_id = ${organizationId}
          and r.started_at between ${dateFromNs(from)}::timestamptz - ${recordings.before}::interval and ${dateFromNs(to)}
          and r.ended_at >= ${dateFromNs(from)}
        order by r.started_at desc, r.uid limit ${recordings.max}::int
      )
      select * from (${Prisma.join(parts, " union all ")}) happened order by time_ns, uid`,
  );
  return rows.map(({ time_ns: time, ...row }) => ({ ...row, time_ns: String(time) }));
}
