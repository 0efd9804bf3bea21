import type { ImportStatus } from "@/domain/annotation-imports/choices";
import { endImport, lockImport } from "@/server/features/imports/service";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { orphanedAfterSeconds, orphans, removeExhausted } from "@/server/platform/jobs/orphaned";
import { enqueue } from "@/server/platform/jobs/queue";
import { text } from "@/server/platform/rows";

/** Hours after which a file that was not sent to its end is given up, and days after which one that nobody imports is. */
const givenUp = { hours: 24, days: 7 } as const;
/** Days after the end of an import for which its report is kept. */
const reportDays = 90;
const batchSize = 100;

const stoppedWorkers = "It stopped the worker again and again. What was imported before stays.";

/**
 * Queues the job of imports that lost it, and fails those that ended their worker in every attempt; stops those that nobody goes
 * on with, and removes old reports. Returns how many had no job.
 */
export async function sweepImports(afterSeconds = orphanedAfterSeconds): Promise<number> {
  const checking = Prisma.sql`annotation_imports r where r.completed_at is null and r.status = 'checking'`;
  const reading = Prisma.sql`annotation_imports r where r.completed_at is null and r.status in ('waiting', 'reading')`;
  const kinds: [typeof jobs.checkImport | typeof jobs.runImport, Prisma.Sql, ImportStatus[]][] = [
    [jobs.checkImport, checking, ["checking"]],
    [jobs.runImport, reading, ["waiting", "reading"]],
  ];
  let count = 0;
  for (const [job, rows, statuses] of kinds) {
    const stuck = await orphans([job], "importId", rows, afterSeconds);
    for (const each of stuck) {
      await transaction(systemContext(prisma, each.organization_id, "imports"), async (tx) => {
        const { status } = await lockImport(tx, each.uid);
        // Another process may have ended it meanwhile, and a check may have become a reading.
        if (!statuses.includes(status)) return;
        if (each.exhausted === null)
          await enqueue(tx, job, { organizationId: each.organization_id, importId: each.uid });
        else await endImport(tx, each.uid, "failed", stoppedWorkers);
        await removeExhausted(tx, each);
      });
    }
    count += stuck.length;
  }
  await giveUp();
  await execute(
    { db: prisma },
    Prisma.sql`update annotation_imports set report = '[]' where uid in (select uid from annotation_imports
      where completed_at < now() - make_interval(days => ${reportDays}::int) and report <> '[]' limit ${batchSize})`,
  );
  return count;
}

async function giveUp(): Promise<void> {
  const old = await query(
    { db: prisma },
    { uid: text, organization_id: text },
    Prisma.sql`select uid, organization_id from annotation_imports
      where completed_at is null and (status = 'uploading' and updated_at < now() - make_interval(hours => ${givenUp.hours}::int)
        or status = 'ready' and updated_at < now() - make_interval(days => ${givenUp.days}::int))
      order by updated_at limit ${batchSize}`,
  );
  for (const { uid, organization_id: organizationId } of old)
    await transaction(systemContext(prisma, organizationId, "imports"), async (tx) => {
      // Its file may have been sent meanwhile, or its import started.
      const { status } = await lockImport(tx, uid);
      if (status === "uploading" || status === "ready") await endImport(tx, uid, "stopped");
    });
}
