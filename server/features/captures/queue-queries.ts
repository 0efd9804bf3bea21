import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { bool, text } from "@/server/platform/rows";

/** Later than the recordings that wait to be processed, unless messages wait for the pictures. */
const priorities = { usual: 10, awaited: -10 };

/**
 * Queues the captures of alerts that were opened, or that another moment triggered since theirs was made. Call it in the
 * transaction that raised them.
 */
export async function enqueueCaptures(tx: Ctx, alertIds: readonly string[]): Promise<void> {
  if (alertIds.length === 0) return;
  const due = await query(
    tx,
    { uid: text, awaited: bool },
    Prisma.sql`select a.uid, coalesce(o.settings->'pictures_in_messages' = 'true', false) as awaited
      from alerts a join organizations o on o.uid = a.organization_id
      left join alert_captures c on c.alert_id = a.uid
      where a.organization_id = ${tx.organizationId} and a.uid = any(${[...alertIds]}::text[]) and a.recording_id is not null
        and c.triggered_ns is distinct from a.triggered_ns`,
  );
  for (const { uid, awaited } of due) {
    const payload = { organizationId: tx.organizationId, alertId: uid };
    const priority = awaited ? priorities.awaited : priorities.usual;
    await enqueue(tx, jobs.captureAlert, payload, { key: `captures.make:${uid}`, priority });
  }
}
