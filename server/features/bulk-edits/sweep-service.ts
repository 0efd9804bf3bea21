import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { orphanedAfterSeconds, orphans, removeExhausted } from "@/server/platform/jobs/orphaned";
import { enqueue } from "@/server/platform/jobs/queue";

/** Days after which a finished bulk edit is deleted, and how many of its items a sweep deletes. */
const retained = { days: 7, itemsASweep: 10_000 } as const;

/**
 * Queues the job of bulk edits that lost it, fails those that ended their worker in every attempt, and deletes old ones.
 * Returns how many had no job.
 */
export async function sweepBulkEdits(afterSeconds = orphanedAfterSeconds): Promise<number> {
  const running = Prisma.sql`bulk_edits r where r.completed_at is null`;
  const stuck = await orphans([jobs.runBulkEdit], "editId", running, afterSeconds);
  for (const each of stuck) {
    await transaction(systemContext(prisma, each.organization_id, "bulk edits"), async (tx) => {
      if (each.exhausted === null)
        await enqueue(tx, jobs.runBulkEdit, { organizationId: each.organization_id, editId: each.uid });
      else
        await execute(
          tx,
          Prisma.sql`update bulk_edits set status = 'failed', completed_at = now(), updated_at = now(),
              error_message = 'It stopped the worker again and again. What was changed before stays.'
            where uid = ${each.uid} and status = 'running'`,
        );
      await removeExhausted(tx, each);
    });
  }
  await deleteOld();
  return stuck.length;
}

/** The items first, so that no statement deletes all of a large edit. */
async function deleteOld(): Promise<void> {
  const isOld = Prisma.sql`b.completed_at < now() - make_interval(days => ${retained.days}::int)`;
  await execute(
    { db: prisma },
    Prisma.sql`delete from bulk_edit_items where (edit_id, item_id) in (select e.edit_id, e.item_id from bulk_edits b
      join bulk_edit_items e on e.edit_id = b.uid where ${isOld} limit ${retained.itemsASweep})`,
  );
  await execute(
    { db: prisma },
    Prisma.sql`delete from bulk_edits b where ${isOld}
      and not exists (select 1 from bulk_edit_items e where e.edit_id = b.uid)`,
  );
}
