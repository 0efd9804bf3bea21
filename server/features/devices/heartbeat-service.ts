import { heartbeatTiming, type DeviceStatus, deviceStatuses } from "@/domain/devices/connectivity";
import type { Heartbeat } from "@/domain/devices/schema";
import { audit } from "@/server/features/audit/service";
import { mergeMetadata, enqueueRecovery } from "@/server/features/devices/service";
import { logStatus } from "@/server/features/devices/status-log-service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { announce } from "@/server/platform/realtime/changes";
import { jsonbObject, notNull, oneOf, text, timestamptz } from "@/server/platform/rows";

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

/** Maintenance is set and ended by operators; otherwise the reported status applies, online by default. */
const nextStatus = (current: DeviceStatus, reported: DeviceStatus | undefined): DeviceStatus =>
  current === "maintenance" ? current : (reported ?? "online");

/** Records a heartbeat. Throws `not_found`; `invalid("timestamp")` more than 5 minutes in the future. */
export async function recordHeartbeat(ctx: Ctx, uidOrMe: string, input: Heartbeat): Promise<HeartbeatReceipt> {
  const uid = resolveDevice(ctx, uidOrMe);
  const now = databaseNow();
  const seenAt = input.timestamp ?? now;
  if (seenAt.getTime() > now.getTime() + 5 * 60_000) {
    throw invalid("timestamp", "Ensure this time is no more than 5 minutes in the future.");
  }
  return transaction(ctx, async (tx) => {
    const [device] = await query(
      tx,
      { name: text, status: oneOf(deviceStatuses), metadata: jsonbObject },
      Prisma.sql`select name, status, metadata from devices
        where uid = ${uid} and organization_id = ${tx.organizationId} for update`,
    );
    if (!device) throw notFound();
    const status = nextStatus(device.status, input.status);
    const metadata = input.metadata ? JSON.stringify(mergeMetadata(device.metadata, input.metadata)) : null;
    const [row] = await query(
      tx,
      { last_seen_at: notNull(timestamptz) },
      Prisma.sql`update devices set
          status = ${status},
          last_seen_at = greatest(last_seen_at, ${seenAt}::timestamptz),
          firmware_version = coalesce(${input.firmware_version ?? null}, firmware_version),
          metadata = coalesce(${metadata}::jsonb, metadata),
          metrics = coalesce(${input.metrics ? JSON.stringify(input.metrics) : null}::jsonb, metrics),
          updated_at = case when status = ${status} and ${metadata}::jsonb is null then updated_at else now() end
        where uid = ${uid} returning last_seen_at`,
    );
    if (status !== device.status) {
      await audit(tx, {
        action: "device.status_changed",
        targetType: "device",
        targetId: uid,
        targetName: device.name,
        before: { status: device.status },
        after: { status },
      });
      await logStatus(tx, uid, status, input.status === undefined ? "heartbeat" : "reported by the device");
      if (device.status === "offline") await enqueueRecovery(tx, uid);
      await announce(tx, "device", uid, "updated");
    }
    return {
      uid,
      status,
      last_seen_at: (row?.last_seen_at ?? seenAt).toISOString(),
      server_time: now.toISOString(),
      interval_seconds: heartbeatTiming.intervalSeconds,
      offline_after_seconds: heartbeatTiming.offlineAfterSeconds,
    };
  });
}
