import { concurrentExports } from "@/domain/exports/schema";
import { finishExport } from "@/server/features/exports/queue-service";
import { enqueueStart } from "@/server/features/exports/service";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { orphanedAfterSeconds, orphans, removeExhausted } from "@/server/platform/jobs/orphaned";
import { enqueue } from "@/server/platform/jobs/queue";

/**
 * Queues the job of running exports that lost it, and fails those that ended their worker in every attempt. Queues the
 * job that starts exports where queued ones could run and none exists. Returns how many of both there were.
 */
export async function sweepExports(afterSeconds = orphanedAfterSeconds): Promise<number> {
  const running = Prisma.sql`exports r where r.completed_at is null and r.status = 'exporting'`;
  const stuck = await orphans([jobs.runExport], "exportId", running, afterSeconds);
  for (const each of stuck) {
    await transaction(systemContext(prisma, each.organization_id, "exports"), async (tx) => {
      if (each.exhausted === null)
        await enqueue(tx, jobs.runExport, { organizationId: each.organization_id, exportId: each.uid });
      else await finishExport(tx, each.uid, { error: "Making it stopped the worker again and again." });
      await removeExhausted(tx, each);
    });
  }
  const waiting = Prisma.sql`(select distinct on (e.organization_id) e.organization_id as uid, e.organization_id, e.updated_at from exports e
      where e.completed_at is null and e.status = 'requested'
        and (select count(*) from exports o where o.organization_id = e.organization_id and o.status = 'exporting') < ${concurrentExports}::int
      order by e.organization_id, e.updated_at) r where true`;
  const unstarted = await orphans([jobs.startExports], "organizationId", waiting, afterSeconds);
  for (const each of unstarted) {
    await transaction(systemContext(prisma, each.organization_id, "exports"), async (tx) => {
      await removeExhausted(tx, each);
      await enqueueStart(tx);
    });
  }
  return stuck.length + unstarted.length;
}
