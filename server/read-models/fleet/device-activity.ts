import type { DeviceActivityQuery } from "@/domain/overview/summaries";
import { getDevice } from "@/server/features/devices/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";
import { deviceTimeline } from "@/server/read-models/devices/device-timeline";
import type { DeviceActivity } from "@/server/read-models/fleet/resource";

const maxNamesakes = 5;

/** The uid of the device with this uid or name. Throws `invalid("device")` when none has, or several. */
async function findDevice(ctx: Ctx, device: string): Promise<string> {
  const found = await sql(
    { uid: text },
    Prisma.sql`select d.uid from devices d
      where d.organization_id = ${ctx.organizationId} and (d.uid = ${device} or d.name = ${device})
      order by d.uid desc limit ${maxNamesakes + 1}`,
  );
  const [first, ...others] = found.map(({ uid }) => uid);
  if (first === undefined) throw invalid("device", "No device has this uid or name.");
  if (others.length > 0) {
    const uids = [first, ...others].slice(0, maxNamesakes).join(", ");
    throw invalid("device", `Several devices have this name; give the uid of one of them: ${uids}.`);
  }
  return first;
}

/** The `limit` items nearest to a time, in the order of time. */
function takeNearest<T>(
  items: readonly T[],
  at: number,
  limit: number,
  getSpan: (item: T) => readonly [string, string],
) {
  const toMs = (item: T) => getSpan(item).map((time) => Date.parse(time)) as [number, number];
  const distance = (item: T) => {
    const [from, to] = toMs(item);
    return Math.max(from - at, at - to, 0);
  };
  const nearest = items.toSorted((a, b) => distance(a) - distance(b)).slice(0, limit);
  return nearest.toSorted((a, b) => toMs(a)[0] - toMs(b)[0]);
}
const atOnly = ({ at }: { at: string }) => [at, at] as const;

/** What a device did around a time, default now: its states, recordings, events and alerts, those nearest to it. */
export async function readDeviceActivity(
  ctx: Ctx,
  { device, around = databaseNow(), minutes, limit }: DeviceActivityQuery,
): Promise<DeviceActivity> {
  const { uid, name, type, status, last_seen_at } = await getDevice(ctx, await findDevice(ctx, device));
  const at = around.getTime();
  const [from, to] = [new Date(at - minutes * 60_000), new Date(at + minutes * 60_000)];
  const timeline = await deviceTimeline(ctx, uid, from, to);
  const { recordings, alerts, events } = timeline;
  // Without a logged change until then, the timeline has the status of now, which says nothing about the window.
  const states = timeline.states.filter((state) => Date.parse(state.at) < to.getTime());
  return {
    device: { uid, name, type, status, last_seen_at },
    from: from.toISOString(),
    to: to.toISOString(),
    states: takeNearest(states, at, limit, atOnly).map((state) => ({
      at: state.at,
      status: state.status,
      reason: state.reason,
    })),
    recordings: takeNearest(recordings, at, limit, (recording) => [recording.from, recording.to]),
    events: takeNearest(events, at, limit, atOnly).map(({ ns: _, ...event }) => event),
    alerts: takeNearest(alerts, at, limit, atOnly).map(({ resolved_at: _, ...alert }) => alert),
    capped: timeline.capped || [states, recordings, alerts, events].some((list) => list.length > limit),
  };
}
