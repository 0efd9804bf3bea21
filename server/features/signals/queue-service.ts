import { createHash } from "node:crypto";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { enqueue } from "@/server/platform/jobs/queue";
import { cachedReader, metrics, onScrape } from "@/server/platform/metrics";
import { float8, text } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

/** Recordings that a sweep lets wait: what an upgrade finds is worked off little by little, behind what comes meanwhile. */
const sweepSize = 100;

/** Later than anything that people or devices wait for. */
const lowPriority = 100;

const keyPrefix = "signals.write:";

/** Recordings are written one after another in each of these queues: the next one does not wait for a single long one. */
const shards = 4;
const hashToShard = (recordingId: string): number =>
  createHash("sha256").update(recordingId).digest().readUInt32BE() % shards;

/**
 * Queues the writing of a recording's signals, in the transaction of `tx`. At most four recordings are written at a time,
 * whatever the number of workers, and in no process as many as it has slots.
 */
export async function enqueueSignals(tx: Ctx, recordingId: string): Promise<void> {
  const session = await tx.db.uploadSession.findUnique({ where: { recordingId }, select: { prefix: true } });
  if (!session) return;
  await enqueue(
    tx,
    jobs.writeSignals,
    { organizationId: tx.organizationId, recordingId, prefix: session.prefix },
    {
      key: `${keyPrefix}${recordingId}`,
      queue: `signals-${hashToShard(recordingId)}`,
      priority: lowPriority,
      background: true,
    },
  );
}

/**
 * Queues recordings that were processed, have no signals yet and no job that will write them, the newest first: a second job
 * would take the place of one that runs. Returns how many.
 */
export async function sweepSignals(): Promise<number> {
  const due = await query(
    { db: prisma },
    { uid: text, organization_id: text },
    Prisma.sql`select r.uid, r.organization_id from recordings r
      where r.status = 'ready' and r.processed_at is not null
        and not exists (select from signal_sets s where s.recording_id = r.uid)
        and exists (select from upload_sessions u where u.recording_id = r.uid)
        and not exists (select from ${Prisma.raw(queueJobs)} j where j.key = ${keyPrefix} || r.uid and not j.exhausted)
      order by r.uid desc limit greatest(0, ${sweepSize}::int - (select count(*) from ${Prisma.raw(queueJobs)} j
        where j.task = ${jobs.writeSignals.name} and not j.exhausted))`,
  );
  for (const { uid, organization_id: organizationId } of due) {
    await transaction(systemContext(prisma, organizationId), (tx) => enqueueSignals(tx, uid));
  }
  return due.length;
}

/** Of how old recordings the backlog is counted: of all it would take long where there are many. */
const backlogMs = 30 * 86_400_000;

/** Bytes of the recordings of the last 30 days whose signals are not written yet. */
export async function countBacklog(): Promise<number> {
  const [row] = await query(
    { db: prisma },
    { bytes: float8 },
    Prisma.sql`select coalesce(sum(r.size_bytes), 0)::float8 as bytes from recordings r
      where r.uid >= ${uidFloor("recording", databaseMs() - backlogMs)} and r.status = 'ready' and r.processed_at is not null
        and not exists (select from signal_sets s where s.recording_id = r.uid)
        and exists (select from upload_sessions u where u.recording_id = r.uid)`,
  );
  return row?.bytes ?? 0;
}

const readBacklog = async (): Promise<void> => metrics.signalsBacklog.set(await countBacklog());

/** Adds the size of what waits for its signals to the metrics of this process. */
export const observeBacklog = (): void => onScrape("signals", cachedReader(readBacklog, 300_000));
