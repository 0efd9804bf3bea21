import type { Ctx } from "@/server/platform/context";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { text } from "@/server/platform/rows";

/** Recordings of one sweep: what an upgrade finds is worked off little by little. */
const sweepSize = 100;

/** Later than anything that people or devices wait for. */
const lowPriority = 100;

/**
 * Queues the writing of a recording's signals, in the transaction of `tx`. One recording at a time is written, whatever
 * the number of workers.
 */
export async function enqueueSignals(tx: Ctx, recordingId: string): Promise<void> {
  const session = await tx.db.uploadSession.findUnique({ where: { recordingId }, select: { prefix: true } });
  if (!session) return;
  await enqueue(
    tx,
    jobs.writeSignals,
    { organizationId: tx.organizationId, recordingId, prefix: session.prefix },
    { key: `signals.write:${recordingId}`, queue: "signals", priority: lowPriority },
  );
}

/** Queues recordings that were processed and have no signals yet, the newest first. Returns how many. */
export async function sweepSignals(): Promise<number> {
  const due = await query(
    { db: prisma },
    { uid: text, organization_id: text },
    Prisma.sql`select r.uid, r.organization_id from recordings r
      where r.status = 'ready' and r.processed_at is not null
        and not exists (select from signal_sets s where s.recording_id = r.uid)
        and exists (select from upload_sessions u where u.recording_id = r.uid)
      order by r.uid desc limit ${sweepSize}::int`,
  );
  for (const { uid, organization_id: organizationId } of due) {
    await transaction(systemContext(prisma, organizationId), (tx) => enqueueSignals(tx, uid));
  }
  return due.length;
}
