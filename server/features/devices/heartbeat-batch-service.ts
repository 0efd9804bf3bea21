import { heartbeatTiming, type DeviceStatus, deviceStatuses } from "@/domain/devices/connectivity";
import type { HeartbeatBatch, TimedHeartbeat } from "@/domain/devices/schema";
import { flattenMetrics, type IgnoredMetric } from "@/domain/health/flatten";
import { healthLimits } from "@/domain/health/limits";
import { describeAuthor, writeBeats } from "@/server/features/devices/heartbeat-queries";
import { aheadMessage, isAhead, isTooLate } from "@/server/features/devices/heartbeat-service";
import { mergeMetadata } from "@/server/features/devices/service";
import { type Point, writeLatePoints } from "@/server/features/health/late-service";
import { placeMetrics } from "@/server/features/health/points-service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { forbidden, invalidInput, notFound } from "@/server/platform/errors";
import { countRequest, throttled } from "@/server/platform/rate-limit/rate-limit";
import { int4, jsonbObject, nullable, oneOf, timestamptz } from "@/server/platform/rows";

/** What became of a batch: heartbeats that are new, those that were there before, and metrics that are not kept. */
export interface BatchReceipt {
  accepted: number;
  repeated: number;
  ignored: IgnoredMetric[];
}

/**
 * Records heartbeats that a device could not send before, all or none. The newest changes the device, unless a newer one
 * did; of those with one time the first counts. Device tokens only. Throws `invalid` for times more than 7 days ago or
 * 5 minutes in the future, and `throttled`.
 */
export async function recordHeartbeats(ctx: Ctx, { heartbeats }: HeartbeatBatch): Promise<BatchReceipt> {
  if (ctx.actor.type !== "device") throw forbidden();
  const now = databaseNow();
  checkTimes(heartbeats, now);
  const verdict = await countRequest("heartbeat", ctx.actor.id, heartbeats.length);
  if (verdict.retryAfterSeconds !== null) throw throttled(verdict.retryAfterSeconds);

  const ordered = heartbeats
    .toSorted((a, b) => a.timestamp.getTime() - b.timestamp.getTime())
    .filter(({ timestamp }, n, all) => timestamp.getTime() !== all[n - 1]?.timestamp.getTime());
  const rows = await placeMetrics(
    ctx,
    ctx.actor.id,
    ordered.map(({ metrics = {} }) => flattenMetrics(metrics)),
  );
  if (!rows) throw notFound();
  const points = rows.map((row, n): Point => ({ ...row, at: ordered[n]!.timestamp }));
  return transaction(ctx, async (tx) => {
    const device = await lockDevice(tx);
    const accepted = await writeLatePoints(tx, device.number, points);
    const newest = ordered.at(-1);
    if (newest && (device.last_seen_at === null || newest.timestamp > device.last_seen_at)) {
      await changeDevice(tx, device, newest, now);
    }
    return { accepted, repeated: heartbeats.length - accepted, ignored: mergeIgnored(points) };
  });
}

const lateMessage = `Ensure this time is no more than ${healthLimits.lateDays} days ago.`;

function checkTimes(heartbeats: readonly TimedHeartbeat[], now: Date): void {
  const issues = heartbeats.flatMap(({ timestamp }, n) => {
    const message = isAhead(timestamp, now) ? aheadMessage : isTooLate(timestamp, now) ? lateMessage : null;
    return message === null ? [] : [{ path: ["heartbeats", n, "timestamp"], message }];
  });
  if (issues.length > 0) throw invalidInput(issues);
}

const deviceRow = {
  number: int4,
  status: oneOf(deviceStatuses),
  last_seen_at: nullable(timestamptz),
  metadata: jsonbObject,
};

interface LockedDevice {
  number: number;
  status: DeviceStatus;
  last_seen_at: Date | null;
  metadata: Record<string, unknown>;
}

async function lockDevice(tx: Ctx): Promise<LockedDevice> {
  const [device] = await query(
    tx,
    deviceRow,
    Prisma.sql`select number, status, last_seen_at, metadata from devices
      where uid = ${tx.actor.id} and organization_id = ${tx.organizationId} for no key update`,
  );
  if (!device) throw notFound();
  return device;
}

/** Applies the newest heartbeat. One that is no sign of life any more does not make the device online. */
async function changeDevice(tx: Ctx, device: LockedDevice, newest: TimedHeartbeat, now: Date): Promise<void> {
  const silent = now.getTime() - newest.timestamp.getTime() >= heartbeatTiming.offlineAfterSeconds * 1_000;
  const reported = newest.status === "online" ? undefined : newest.status;
  await writeBeats(tx, [
    {
      uid: tx.actor.id,
      organization_id: tx.organizationId,
      seen_at: newest.timestamp,
      at: now,
      status: silent ? (reported ?? device.status) : (newest.status ?? null),
      firmware_version: newest.firmware_version ?? null,
      metadata: newest.metadata ? mergeMetadata(device.metadata, newest.metadata) : null,
      metrics: newest.metrics ?? null,
      list: null,
      values: null,
      states: null,
      ...describeAuthor(tx),
    },
  ]);
}

/** Each metric once with each reason. */
function mergeIgnored(points: readonly Point[]): IgnoredMetric[] {
  const merged = new Map<string, IgnoredMetric>();
  for (const { ignored } of points) {
    for (const metric of ignored) {
      if (merged.size === healthLimits.ignored) return [...merged.values()];
      merged.set(JSON.stringify([metric.name, metric.reason]), metric);
    }
  }
  return [...merged.values()];
}
