import { heartbeatTiming, type DeviceStatus } from "@/domain/devices/connectivity";
import type { Heartbeat } from "@/domain/devices/schema";
import { type FlatMetrics, flattenMetrics, type IgnoredMetric, ignoredReasons } from "@/domain/health/flatten";
import { healthLimits } from "@/domain/health/limits";
import { type Beat, describeAuthor, type Recorded, writeBeats } from "@/server/features/devices/heartbeat-queries";
import { mergeMetadata } from "@/server/features/devices/service";
import { placeMetrics } from "@/server/features/health/points-service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { Batcher } from "@/server/platform/outbox/batcher";
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
  recorded: Recorded | undefined;
}

async function writeBatch(batch: readonly Waiting[]): Promise<void> {
  // A second heartbeat of a device comes after the first, in another statement.
  for (let rest = batch; rest.length > 0;) {
    const first = new Map(rest.toReversed().map((waiting) => [waiting.beat.uid, waiting]));
    const recorded = await writeOnceMore([...first.values()].map(({ beat }) => beat));
    for (const waiting of first.values()) waiting.recorded = recorded.get(waiting.beat.uid);
    rest = rest.filter((waiting) => first.get(waiting.beat.uid) !== waiting);
  }
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

/** Records a heartbeat. Throws `not_found`; `invalid("timestamp")` more than 5 minutes in the future. */
export async function recordHeartbeat(ctx: Ctx, uidOrMe: string, input: Heartbeat): Promise<HeartbeatReceipt> {
  const uid = resolveDevice(ctx, uidOrMe);
  const now = databaseNow();
  const seenAt = input.timestamp ?? now;
  if (isAhead(seenAt, now)) throw invalid("timestamp", aheadMessage);
  const flat = flattenMetrics(input.metrics ?? {});
  const tooLate = isTooLate(seenAt, now);
  const points = tooLate ? [] : await placeMetrics(ctx, uid, [flat]);
  if (!points) throw notFound();
  const [point] = points;
  const beat: Beat = {
    uid,
    organization_id: ctx.organizationId,
    seen_at: seenAt,
    at: now,
    status: input.status ?? null,
    firmware_version: input.firmware_version ?? null,
    metadata: null,
    metrics: input.metrics ?? null,
    list: point?.list ?? null,
    values: point?.values ?? null,
    states: point?.states ?? null,
    ...describeAuthor(ctx),
  };
  const recorded = await record(ctx, beat, input.metadata);
  if (!recorded) throw notFound();
  return {
    uid,
    status: recorded.status,
    last_seen_at: recorded.last_seen_at.toISOString(),
    server_time: now.toISOString(),
    interval_seconds: heartbeatTiming.intervalSeconds,
    offline_after_seconds: heartbeatTiming.offlineAfterSeconds,
    ignored: point?.ignored ?? ignoreLate(flat),
  };
}

const ignoreLate = ({ numbers, states, ignored }: FlatMetrics): IgnoredMetric[] =>
  [...ignored, ...[...numbers.keys(), ...states.keys()].map((name) => ({ name, reason: ignoredReasons.late }))].slice(
    0,
    healthLimits.ignored,
  );

/** Together with others that arrive at the same time, unless it is part of a transaction or reads the device first. */
async function record(ctx: Ctx, beat: Beat, metadata: Heartbeat["metadata"]): Promise<Recorded | undefined> {
  if (!metadata && ctx.db === prisma) {
    const waiting: Waiting = { beat, recorded: undefined };
    await waitingBeats().add(waiting);
    return waiting.recorded;
  }
  return transaction(ctx, async (tx) => {
    const [device] = await query(
      tx,
      { metadata: jsonbObject },
      Prisma.sql`select metadata from devices
        where uid = ${beat.uid} and organization_id = ${tx.organizationId} for no key update`,
    );
    if (!device) return undefined;
    const merged = metadata ? mergeMetadata(device.metadata, metadata) : null;
    return (await writeBeats(tx, [{ ...beat, metadata: merged }])).get(beat.uid);
  });
}
