import { flattenMetrics } from "@/domain/health/flatten";
import { type DemoDevice, demoDevices, type DemoRecording } from "@/server/demo/fleet";
import { battery, demoHealth, type DemoMetrics } from "@/server/demo/health";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { updateDevice } from "@/server/features/devices/service";
import { logStatus } from "@/server/features/devices/status-log-service";
import { writeLatePoints } from "@/server/features/health/late-service";
import { hasPart } from "@/server/features/health/points-queries";
import { placeMetrics } from "@/server/features/health/points-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma } from "@/server/platform/db";

const hour = 3_600_000;

/** A number of a heartbeat. */
const number = (name: string) => Prisma.sql`(d.metrics ->> ${name})::float8`;

/**
 * What a robot reports now, as a JSON object over the device `d` as it was: its battery goes on from there, and it charges
 * and works in turns.
 */
const metricsNow = Prisma.sql`(
  select jsonb_build_object(
    'battery_percent', round(percent::numeric, 1),
    'charging', charging,
    'motor_temperature_c', round((case when charging then 38 else 55 + 4 * sin(extract(epoch from now()) / 210) end)::numeric, 1),
    'cpu_percent', round((case when charging then 9 else 46 + 12 * sin(extract(epoch from now()) / 137) end)::numeric),
    'disk_free_gb', round((78 + 0.4 * percent)::numeric, 1))
  from (select greatest(${battery.low}::float8, least(${battery.high}::float8, was + seconds * case when charging
        then ${battery.perSecondOfCharge}::float8 else -${battery.perSecondOfWork}::float8 end)) as percent, charging
    from (select was, seconds, case when was <= ${battery.low} then true when was >= ${battery.high} then false else charged end as charging
      from (select coalesce(${number("battery_percent")}, 50 + abs(hashtext(d.uid)) % 40) as was,
        coalesce((d.metrics ->> 'charging')::boolean, false) as charged,
        coalesce(extract(epoch from now() - d.last_seen_at), 0) as seconds) before) state) battery)`;

/**
 * The heartbeats of all demo fleets, in one statement: those of organizations that somebody used in the last day, so
 * that a forgotten demo writes nothing. Offline robots send none. Returns how many were sent.
 */
export const sendDemoHeartbeats = ({ db }: Pick<Ctx, "db"> = { db: prisma }): Promise<number> =>
  execute(
    { db },
    Prisma.sql`with seen as materialized (
      select d.uid, d.number, d.metric_list as list, d.metrics as metrics_before, ${metricsNow} as metrics,
        date_trunc('milliseconds', now()) as seen_at, ${hasPart(Prisma.sql`now()`)} as has_part
      from devices d where d.demo and d.status <> 'offline' and (
        exists (select 1 from memberships m
          where m.organization_id = d.organization_id and m.last_active_at > now() - interval '1 day')
        or exists (select 1 from api_keys k
          where k.organization_id = d.organization_id and k.last_used_at > now() - interval '1 day'))
      for no key update of d
    ), pointed as (
      insert into metric_points (device, at, list, "values")
      select s.number, s.seen_at, s.list, array(
        select case when jsonb_typeof(s.metrics -> n.name) = 'number' then (s.metrics ->> n.name)::float8 end
        from unnest(l.names) with ordinality as u(id, place) join metric_names n on n.id = u.id order by u.place)
      from seen s join metric_lists l on l.id = s.list where s.has_part on conflict do nothing
    ), stated as (
      insert into metric_changes (device, name, at, value)
      select s.number, n.id, s.seen_at, s.metrics -> 'charging'
      from seen s join metric_lists l on l.id = s.list join metric_names n on n.id = any(l.names) and n.name = 'charging'
      where s.has_part and s.metrics -> 'charging' is distinct from s.metrics_before -> 'charging' on conflict do nothing
    )
    update devices d set last_seen_at = greatest(d.last_seen_at, s.seen_at), metrics = s.metrics
    from seen s where d.uid = s.uid`,
  );

/** Short losses of the connection in the week before, by the name of the device: hours ago, and their length. */
const losses: Readonly<Record<string, readonly (readonly [hoursAgo: number, hours: number])[]>> = {
  "AMR 02": [
    [74, 0.4],
    [31, 1.2],
  ],
  "AMR 05": [[52, 0.7]],
  "Arm A2": [[97, 2.5]],
  "Drone Kestrel": [
    [120, 9],
    [71, 9],
    [22, 6],
  ],
};

/**
 * Gives a new device the connectivity of its week, the health of its last day, and its state now with a first heartbeat.
 */
export async function connectDemoDevice(
  tx: Ctx,
  uid: string,
  device: DemoDevice,
  recordings: readonly DemoRecording[],
  now: Date,
): Promise<void> {
  const ago = (hours: number) => new Date(now.getTime() - hours * hour);
  await logStatus(tx, uid, "online", "heartbeat", ago(7 * 24));
  for (const [hours, length] of losses[device.name] ?? []) {
    await logStatus(tx, uid, "offline", "no heartbeat for 90 s", ago(hours));
    await logStatus(tx, uid, "online", "heartbeat", ago(hours - length));
  }
  const isOffline = device.state === "offline";
  const past = demoHealth(device, recordings, isOffline ? ago(26) : now, demoDevices.indexOf(device));
  const last = past.pop();
  if (!last) throw new Error("a demo robot without heartbeats");
  await writeHealth(tx, uid, past);
  const { at: timestamp, metrics } = last;
  await recordHeartbeat(tx, uid, { timestamp, metrics: { ...metrics }, ...(isOffline && { status: "offline" }) });
  if (isOffline) return logStatus(tx, uid, "offline", "no heartbeat for 90 s", ago(26));
  if (device.state === "maintenance") await updateDevice(tx, uid, { status: "maintenance" });
}

/** Writes the points of a new device. */
async function writeHealth(tx: Ctx, uid: string, past: readonly { at: Date; metrics: DemoMetrics }[]): Promise<void> {
  const { number: device } = await tx.db.device.findUniqueOrThrow({ where: { uid }, select: { number: true } });
  const rows = await placeMetrics(
    tx,
    uid,
    past.map(({ metrics }) => flattenMetrics({ ...metrics })),
  );
  if (rows) await writeLatePoints(tx, [{ device, points: rows.map((row, n) => ({ ...row, at: past[n]!.at })) }]);
}
