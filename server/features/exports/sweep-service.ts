import { atOnce, finishExport, startSome } from "@/server/features/exports/service";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { dropExhausted, forgotten } from "@/server/platform/jobs/forgotten";
import { enqueue } from "@/server/platform/jobs/queue";

/** An export without a job for this long was forgotten, in seconds. */
const patienceSeconds = 30;

/**
 * Gives a job to exports that run without one, and ends those that stopped their worker at every try; lets others begin
 * that wait though nothing is to start them. Returns how many there were.
 */
export async function sweepExports(afterSeconds = patienceSeconds): Promise<number> {
  const running = Prisma.sql`exports r where r.completed_at is null and r.status = 'exporting'`;
  const stuck = await forgotten(jobs.runExport, "exportId", running, afterSeconds);
  for (const each of stuck) {
    await transaction(systemContext(prisma, each.organization_id, "exports"), async (tx) => {
      if (each.exhausted === null)
        await enqueue(tx, jobs.runExport, { organizationId: each.organization_id, exportId: each.uid });
      else await finishExport(tx, each.uid, { error: "Making it stopped the worker again and again." });
      await dropExhausted(tx, each);
    });
  }
  const waiting = Prisma.sql`(select distinct on (e.organization_id) e.organization_id as uid, e.organization_id, e.updated_at from exports e
      where e.completed_at is null and e.status = 'requested'
        and (select count(*) from exports o where o.organization_id = e.organization_id and o.status = 'exporting') < ${atOnce}::int
      order by e.organization_id, e.updated_at) r where true`;
  const unstarted = await forgotten(jobs.startExports, "organizationId", waiting, afterSeconds);
  for (const each of unstarted) {
    await transaction(systemContext(prisma, each.organization_id, "exports"), async (tx) => {
      await dropExhausted(tx, each);
      await startSome(tx);
    });
  }
  return stuck.length + unstarted.length;
}
