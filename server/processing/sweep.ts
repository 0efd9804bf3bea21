import { systemContext } from "@/server/context";
import { Prisma } from "@/server/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/db";
import { jobs } from "@/server/jobs/definitions";
import { markFailed } from "@/server/processing/finish";
import { enqueueProcessing } from "@/server/recordings/service";

/** A recording without a job for this long was forgotten, in seconds. */
const patienceSeconds = 30;
const atOnce = 100;

interface Stuck {
  uid: string;
  organization_id: string;
  /** A job that was given up because every try of it ended with its worker. */
  exhausted: bigint | null;
}

/**
 * Finds recordings that are `processing` with no job left to process them, and gives them one; what stopped its worker at every
 * try ends as an error instead. Returns how many there were.
 */
export async function sweepStuckRecordings(afterSeconds = patienceSeconds): Promise<number> {
  const ofRecording = Prisma.sql`from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${jobs.processRecording.name} and j.payload->>'recordingId' = r.uid`;
  const stuck = await query<Stuck>(
    { db: prisma },
    Prisma.sql`select r.uid, r.organization_id,
        (select max(j.id) ${ofRecording} and j.attempts >= j.max_attempts and j.locked_by is null) as exhausted
      from recordings r
      where r.status = 'processing' and r.updated_at < now() - make_interval(secs => ${afterSeconds}::float8)
        and not exists (select 1 ${ofRecording} and (j.attempts < j.max_attempts or j.locked_by is not null))
      order by r.updated_at limit ${atOnce}`,
  );
  for (const { uid, organization_id, exhausted } of stuck) {
    await transaction(systemContext(prisma, organization_id), async (tx) => {
      const locked = await query(tx, Prisma.sql`select 1 from recordings where uid = ${uid} and status = 'processing' for update`);
      if (locked.length === 0) return;
      if (exhausted === null) return enqueueProcessing(tx, uid);
      await markFailed(tx, uid, "Processing stopped the worker again and again.");
      await execute(tx, Prisma.sql`select graphile_worker.complete_jobs(array[${exhausted}::bigint])`);
    });
  }
  return stuck.length;
}
