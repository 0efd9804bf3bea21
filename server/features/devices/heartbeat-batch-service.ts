import { heartbeatTiming, deviceStatuses } from "@/domain/devices/connectivity";
import type { HeartbeatBatch, TimedHeartbeat } from "@/domain/devices/schema";
import { flattenMetrics, type IgnoredMetric } from "@/domain/health/flatten";
import { healthLimits } from "@/domain/health/limits";
import { type Beat, describeAuthor, writeBeats } from "@/server/features/devices/heartbeat-queries";
import { aheadMessage, isAhead, isTooLate } from "@/server/features/devices/heartbeat-service";
import { mergeMetadata } from "@/server/features/devices/service";
import { leaveOutOfRules } from "@/server/features/health/late-rules-service";
import { type Point, writeLatePoints } from "@/server/features/health/late-service";
import { placeEach } from "@/server/features/health/points-service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { type OnDb, prisma, query, transaction } from "@/server/platform/db";
import { forbidden, invalidInput, notFound } from "@/server/platform/errors";
import { Batcher, onceEach } from "@/server/platform/outbox/batcher";
import { processWide } from "@/server/platform/process-wide";
import { countRequest, throttled } from "@/server/platform/rate-limit/rate-limit";
import { int4, jsonbObject, type Native, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

/** What became of a batch: heartbeats that are new, those that were there before, and metrics that are not kept. */
export interface BatchReceipt {
  accepted: number;
  repeated: number;
  ignored: IgnoredMetric[];
}

/** A batch that waits to be written, and what was written. */
interface Waiting {
  ctx: Ctx;
  now: Date;
  /** In order of time, one for each. */
  heartbeats: readonly TimedHeartbeat[];
  /** Undefined when there is no such device. */
  receipt: BatchReceipt | undefined;
}

const gatherMs = 2;
/**
 * Of heartbeats. Batches of a returning fleet share their transactions: a commit of its own would cost each more. How many
 * wait is limited before they are read, by the concurrency of the operation.
 */
const limits = { concurrency: 2, size: 2_000, waiting: Infinity };

const waitingBatches = () =>
  processWide(
    "heartbeatBatches",
    () => new Batcher<Waiting>(writeBatches, gatherMs, limits, ({ heartbeats }) => heartbeats.length),
  );

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
  const waiting: Waiting = { ctx, now, heartbeats: ordered, receipt: undefined };
  await waitingBatches().add(waiting);
  if (!waiting.receipt) throw notFound();
  const { accepted, ignored } = waiting.receipt;
  return { accepted, repeated: heartbeats.length - accepted, ignored };
}

/** Writes batches; a second one of a device comes after the first. */
const writeBatches = (batches: readonly Waiting[]): Promise<void> =>
  onceEach(batches, ({ ctx }) => ctx.actor.id, writeOfDevices);

/** Writes a batch each of different devices in one transaction. */
async function writeOfDevices(batches: readonly Waiting[]): Promise<void> {
  const placed = await placeEach(
    batches.map(({ ctx, heartbeats }) => ({
      organizationId: ctx.organizationId,
      uid: ctx.actor.id,
      // Not before, since they take several times the memory.
      heartbeats: heartbeats.map(({ metrics }) => flattenMetrics(metrics ?? {})),
    })),
  );
  await transaction({ db: prisma }, async (tx) => {
    const devices = await lockDevices(tx, batches);
    const late = batches.flatMap((waiting, n) => {
      const [device, rows] = [devices.get(waiting.ctx.actor.id), placed[n]];
      if (!device || !rows) return [];
      const points = rows.map((row, at): Point => ({ ...row, at: waiting.heartbeats[at]!.timestamp }));
      return [{ waiting, device, points }];
    });
    await leaveOutOfRules(
      tx,
      late.map(({ waiting, device: { uid, organization_id, number }, points }) => ({
        ...{ uid, organization_id, number },
        times: points.map(({ at }) => at).filter((at) => isSilent(at, waiting.now)),
      })),
    );
    const accepted = await writeLatePoints(
      tx,
      late.map(({ device, points }) => ({ device: device.number, points })),
    );
    const newest = late.flatMap(({ waiting, device }) => toNewest(waiting, device));
    if (newest.length > 0) await writeBeats(tx, newest);
    for (const { waiting, device, points } of late) {
      waiting.receipt = { accepted: accepted.get(device.number) ?? 0, repeated: 0, ignored: mergeIgnored(points) };
    }
  });
}

/** Whether a heartbeat of a batch is no sign of life any more, so that it makes nothing online and rules do not read it. */
const isSilent = (at: Date, now: Date): boolean =>
  now.getTime() - at.getTime() >= heartbeatTiming.offlineAfterSeconds * 1_000;

const lateMessage = `Ensure this time is no more than ${healthLimits.lateDays} days ago.`;

function checkTimes(heartbeats: readonly TimedHeartbeat[], now: Date): void {
  const issues = heartbeats.flatMap(({ timestamp }, n) => {
    const message = isAhead(timestamp, now) ? aheadMessage : isTooLate(timestamp, now) ? lateMessage : null;
    return message === null ? [] : [{ path: ["heartbeats", n, "timestamp"], message }];
  });
  if (issues.length > 0) throw invalidInput(issues);
}

const deviceRow = {
  uid: text,
  organization_id: text,
  number: int4,
  status: oneOf(deviceStatuses),
  last_seen_at: nullable(timestamptz),
  /** Where a batch merges its own with it. */
  metadata: nullable(jsonbObject),
};
type LockedDevice = Native<typeof deviceRow>;

const mergesMetadata = ({ heartbeats }: Waiting): boolean => heartbeats.at(-1)?.metadata !== undefined;

/** The devices of batches by uid, locked until the transaction ends. */
async function lockDevices(tx: OnDb, batches: readonly Waiting[]): Promise<Map<string, LockedDevice>> {
  const list = batches.map((waiting) => ({
    uid: waiting.ctx.actor.id,
    organization_id: waiting.ctx.organizationId,
    merges: mergesMetadata(waiting),
  }));
  const rows = await query(
    tx,
    deviceRow,
    Prisma.sql`select d.uid, d.organization_id, d.number, d.status, d.last_seen_at, case when b.merges then d.metadata end as metadata
      from devices d
      join json_to_recordset(${JSON.stringify(list)}::json) as b(uid text, organization_id text, merges boolean)
        on b.uid = d.uid and b.organization_id = d.organization_id
      order by d.uid for no key update of d`,
  );
  return new Map(rows.map((row) => [row.uid, row]));
}

/**
 * The newest heartbeat as what changes the device, unless a newer one did. One that is no sign of life any more does not
 * make the device online.
 */
function toNewest({ ctx, now, heartbeats }: Waiting, device: LockedDevice): Beat[] {
  const newest = heartbeats.at(-1);
  if (!newest || (device.last_seen_at !== null && newest.timestamp <= device.last_seen_at)) return [];
  const silent = isSilent(newest.timestamp, now);
  const reported = newest.status === "online" ? undefined : newest.status;
  return [
    {
      uid: device.uid,
      organization_id: device.organization_id,
      seen_at: newest.timestamp,
      timed: true,
      alive_at: newest.timestamp,
      at: now,
      status: silent ? (reported ?? device.status) : (newest.status ?? null),
      firmware_version: newest.firmware_version ?? null,
      metadata: newest.metadata ? mergeMetadata(device.metadata ?? {}, newest.metadata) : null,
      metrics: newest.metrics ?? null,
      list: null,
      values: null,
      states: null,
      ...describeAuthor(ctx),
    },
  ];
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
