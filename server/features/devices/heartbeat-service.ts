import { heartbeatTiming, type DeviceStatus } from "@/domain/devices/connectivity";
import type { Heartbeat } from "@/domain/devices/schema";
import { type FlatMetrics, flattenMetrics, type IgnoredMetric, ignoredReasons } from "@/domain/health/flatten";
import { healthLimits } from "@/domain/health/limits";
import { type Beat, describeAuthor, type Recorded, writeBeats } from "@/server/features/devices/heartbeat-queries";
import { mergeMetadata } from "@/server/features/devices/service";
import { placeEach, placeMetrics, type PointRow } from "@/server/features/health/points-service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { Batcher, onceEach } from "@/server/platform/outbox/batcher";
import { processWide } from "@/server/platform/process-wide";
import { jsonbObject } from "@/server/platform/rows";
import { findOutage } from "@/server/platform/unavailable";

/** The response to a heartbeat; times as ISO text, intervals in seconds. */
export interface HeartbeatReceipt {
  uid: string;
  status: DeviceStatus;
  last_seen_at: string;
  server_time: string;
  interval_seconds: number;
  offline_after_seconds: number;
  /** Metrics of the heartbeat that are not kept as points. */
  ignored: IgnoredMetric[];
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

/** A heartbeat that waits to be written, and what was written. */
interface Waiting {
  beat: Beat;
  /** What is kept of its metrics; null when it is too late for them. */
  metrics: FlatMetrics | null;
  ignored: IgnoredMetric[];
  recorded: Recorded | undefined;
}

/** Writes heartbeats; a second one of a device comes after the first, in another statement. */
const writeBatch = (batch: readonly Waiting[]): Promise<void> =>
  onceEach(
    batch,
    ({ beat }) => beat.uid,
    async (waiting) => {
      const recorded = await writeOnceMore(await placeWaiting(waiting));
      for (const each of waiting) each.recorded = recorded.get(each.beat.uid);
    },
  );

/** The rows to write: those of devices that exist. */
async function placeWaiting(batch: readonly Waiting[]): Promise<Beat[]> {
  const devices = batch.flatMap(({ beat, metrics }) =>
    metrics ? [{ uid: beat.uid, organizationId: beat.organization_id, heartbeats: [metrics] }] : [],
  );
  const points = await placeEach(devices);
  return batch.flatMap((waiting) => {
    if (!waiting.metrics) return [waiting.beat];
    const point = points.shift()?.[0];
    return point ? [addPoint(waiting, point)] : [];
  });
}

/** The row of a heartbeat with what is kept of its metrics. */
function addPoint(waiting: Waiting, { list, values, states, ignored }: PointRow): Beat {
  waiting.ignored = ignored;
  return { ...waiting.beat, list, values, states };
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

const aheadMinutes = 5;
export const aheadMessage = `Ensure this time is no more than ${aheadMinutes} minutes in the future.`;
/** Whether the clock of a device is too far ahead for its heartbeats to be accepted. */
export const isAhead = (seenAt: Date, now: Date): boolean => seenAt.getTime() > now.getTime() + aheadMinutes * 60_000;
/** Whether a heartbeat is too old for its metrics to be kept. */
export const isTooLate = (seenAt: Date, now: Date): boolean =>
  seenAt.getTime() < now.getTime() - healthLimits.lateDays * 86_400_000;

/**
 * Records a heartbeat, of which the time of its points is the `timestamp`, and the device was there when it came. One that
 * is older than a point of its device is kept, and changes nothing else of it. Throws `not_found`; `invalid("timestamp")`
 * more than 5 minutes in the future.
 */
export async function recordHeartbeat(ctx: Ctx, uidOrMe: string, input: Heartbeat): Promise<HeartbeatReceipt> {
  const uid = resolveDevice(ctx, uidOrMe);
  const now = databaseNow();
  const seenAt = input.timestamp ?? now;
  if (isAhead(seenAt, now)) throw invalid("timestamp", aheadMessage);
  const flat = flattenMetrics(input.metrics ?? {});
  const tooLate = isTooLate(seenAt, now);
  const beat: Beat = {
    uid,
    organization_id: ctx.organizationId,
    seen_at: seenAt,
    timed: input.timestamp !== undefined,
    // Who sends it is there now, whatever its clock says; who says that it is gone was there until then.
    alive_at: input.status === "offline" || seenAt > now ? seenAt : now,
    at: now,
    status: input.status ?? null,
    firmware_version: input.firmware_version ?? null,
    metadata: null,
    metrics: input.metrics ?? null,
    list: null,
    values: null,
    states: null,
    ...describeAuthor(ctx),
  };
  const waiting: Waiting = { beat, metrics: tooLate ? null : flat, ignored: [], recorded: undefined };
  await record(ctx, waiting, input.metadata);
  const { recorded } = waiting;
  if (!recorded) throw notFound();
  return {
    uid,
    status: recorded.status,
    last_seen_at: recorded.last_seen_at.toISOString(),
    server_time: now.toISOString(),
    interval_seconds: heartbeatTiming.intervalSeconds,
    offline_after_seconds: heartbeatTiming.offlineAfterSeconds,
    ignored: tooLate ? ignoreLate(flat) : waiting.ignored,
  };
}

const ignoreLate = ({ numbers, states, ignored }: FlatMetrics): IgnoredMetric[] =>
  [...ignored, ...[...numbers.keys(), ...states.keys()].map((name) => ({ name, reason: ignoredReasons.late }))].slice(
    0,
    healthLimits.ignored,
  );

/** Together with others that arrive at the same time, unless it is part of a transaction or reads the device first. */
async function record(ctx: Ctx, waiting: Waiting, metadata: Heartbeat["metadata"]): Promise<void> {
  if (!metadata && ctx.db === prisma) return waitingBeats().add(waiting);
  const { beat } = waiting;
  await transaction(ctx, async (tx) => {
    const [device] = await query(
      tx,
      { metadata: jsonbObject },
      Prisma.sql`select metadata from devices
        where uid = ${beat.uid} and organization_id = ${tx.organizationId} for no key update`,
    );
    if (!device) return;
    const merged = metadata ? mergeMetadata(device.metadata, metadata) : null;
    const [point] = (waiting.metrics && (await placeMetrics(tx, beat.uid, [waiting.metrics]))) ?? [];
    const row = { ...(point ? addPoint(waiting, point) : beat), metadata: merged };
    waiting.recorded = (await writeBeats(tx, [row])).get(beat.uid);
  });
}
