import { databaseNow } from "@/server/platform/clock";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { text } from "@/server/platform/rows";

/** Age in hours at which an upload that is not finalized is given up. */
const expireAfterHours = 24;
const batchSize = 100;

/** Removes uploads of robot descriptions that began a day before `now` and are not finalized. Returns how many. */
export async function expireRobotDescriptions(now = databaseNow()): Promise<number> {
  const limit = new Date(now.getTime() - expireAfterHours * 3_600_000);
  return transaction({ db: prisma }, async (tx) => {
    const gone = await query(
      tx,
      { key: text },
      Prisma.sql`delete from robot_descriptions where uid in (
          select uid from robot_descriptions where status <> 'ready' and created_at < ${limit}
          order by created_at limit ${batchSize} for update skip locked) returning storage_key as key`,
    );
    if (gone.length > 0) await enqueue(tx, jobs.deleteStoredKeys, { keys: gone.map(({ key }) => key) });
    return gone.length;
  });
}
