import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue, jobState } from "@/server/platform/jobs/queue";
import { text } from "@/server/platform/rows";

/** The jobs run one after another, whichever workers take them. */
const queue = "retention";

async function enqueueOnce(organizationId: string | null): Promise<boolean> {
  const key = `retention.apply:${organizationId ?? "operator"}`;
  return transaction({ db: prisma }, async (tx) => {
    if ((await jobState(tx, key)) === "open") return false;
    await enqueue(tx, jobs.applyRetention, { organizationId }, { key, queue });
    return true;
  });
}

/** Queues the daily deletion: by the operator's settings, then by those of each organization. Returns how many. */
export async function sweepRetention(): Promise<number> {
  let queued = (await enqueueOnce(null)) ? 1 : 0;
  for (let after = ""; ;) {
    const organizations = await query(
      { db: prisma },
      { uid: text },
      Prisma.sql`select uid from organizations where uid > ${after} and deletes_at is null
          and jsonb_path_exists(settings, '$.retention.* ? (@ != null)') order by uid limit 500`,
    );
    for (const { uid } of organizations) if (await enqueueOnce(uid)) queued++;
    const last = organizations.at(-1);
    if (!last) return queued;
    after = last.uid;
  }
}
