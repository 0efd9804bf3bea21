import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { text } from "@/server/platform/rows";

/** Later than the recordings that wait to be processed. */
const priority = 10;

/**
 * Queues the captures of alerts that were opened, or that another moment triggered since theirs was made. Call it in the
 * transaction that raised them.
 */
export async function enqueueCaptures(tx: Ctx, alertIds: readonly string[]): Promise<void> {
  if (alertIds.length === 0) return;
  const due = await query(
    tx,
    { uid: text },
    Prisma.sql`select a.uid from alerts a left join alert_captures c on c.alert_id = a.uid
      where a.uid = any(${[...alertIds]}::text[]) and a.recording_id is not null
        and c.triggered_ns is distinct from a.triggered_ns`,
  );
  for (const { uid } of due) {
    const payload = { organizationId: tx.organizationId, alertId: uid };
    await enqueue(tx, jobs.captureAlert, payload, { key: `captures.make:${uid}`, priority });
  }
}
