import type { DemoDevice } from "@/server/demo/fleet";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { updateDevice } from "@/server/features/devices/service";
import { logStatus } from "@/server/features/devices/status-log-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma } from "@/server/platform/db";

const hour = 3_600_000;

/** The seconds of one charge: a robot works for the first four fifths of it, then stands at its charger. */
const cycleSeconds = 10_800;

/**
 * What a robot reports, as a JSON object over the device `d`: battery and motor follow the time, each robot at its own
 * place of the cycle.
 */
const metrics = Prisma.sql`(
  select jsonb_build_object(
    'battery_percent', round((case when charging then 24 + 72 * (share - 0.8) / 0.2 else 96 - 72 * share / 0.8 end)::numeric),
    'charging', charging,
    'motor_temperature_c', round((case when charging then 38 else 55 + 6 * sin(at / 210) end)::numeric, 1),
    'cpu_percent', round((case when charging then 9 else 46 + 12 * sin(at / 37) end)::numeric),
    'disk_free_gb', round((118 - 40 * share)::numeric, 1))
  from (select *, share >= 0.8 as charging from (
    select at, mod(at::numeric, ${cycleSeconds}::int)::float8 / ${cycleSeconds}::int as share
    from (select extract(epoch from now())::float8 + abs(hashtext(d.uid)) % ${cycleSeconds}::int as at) clock) cycle) state)`;

/**
 * The heartbeats of all demo fleets, in one statement: those of organizations that somebody used in the last day, so
 * that a forgotten demo writes nothing. Offline robots send none. Returns how many were sent.
 */
export const sendDemoHeartbeats = ({ db }: Pick<Ctx, "db"> = { db: prisma }): Promise<number> =>
  execute(
    { db },
    Prisma.sql`update devices d set last_seen_at = greatest(d.last_seen_at, now()), metrics = ${metrics}
      where d.demo and d.status <> 'offline' and (
        exists (select 1 from memberships m
          where m.organization_id = d.organization_id and m.last_active_at > now() - interval '1 day')
        or exists (select 1 from api_keys k
          where k.organization_id = d.organization_id and k.last_used_at > now() - interval '1 day'))`,
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

/** Gives a new device the connectivity of its week, and its state now with a first heartbeat. */
export async function connectDemoDevice(tx: Ctx, uid: string, device: DemoDevice, now: Date): Promise<void> {
  const ago = (hours: number) => new Date(now.getTime() - hours * hour);
  await logStatus(tx, uid, "online", "heartbeat", ago(7 * 24));
  for (const [hours, length] of losses[device.name] ?? []) {
    await logStatus(tx, uid, "offline", "no heartbeat for 90 s", ago(hours));
    await logStatus(tx, uid, "online", "heartbeat", ago(hours - length));
  }
  if (device.state === "offline") {
    const lastSeen = {
      battery_percent: 3,
      charging: false,
      motor_temperature_c: 41.5,
      cpu_percent: 12,
      disk_free_gb: 81,
    };
    await recordHeartbeat(tx, uid, { timestamp: ago(26), status: "offline", metrics: lastSeen });
    return logStatus(tx, uid, "offline", "no heartbeat for 90 s", ago(26));
  }
  await recordHeartbeat(tx, uid, { timestamp: now });
  if (device.state === "maintenance") await updateDevice(tx, uid, { status: "maintenance" });
}
