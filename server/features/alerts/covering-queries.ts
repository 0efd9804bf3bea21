import { readAlert } from "@/server/features/alerts/alert-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { type Native, text } from "@/server/platform/rows";

/** How long a recording may have run before the moment that it covers. */
const maxBefore = "2 days";

const coveringRow = { uid: text, name: text };
export type CoveringRecording = Native<typeof coveringRow>;

/**
 * The recording of an alert's device that covers the moment at which it triggered, of several the one that began last;
 * null when none does. Throws `not_found`.
 */
export async function findCovering(ctx: Ctx, alertUid: string): Promise<CoveringRecording | null> {
  const alert = await readAlert(ctx, alertUid);
  const at = new Date(alert.triggered_at);
  const [found] = await query(
    ctx,
    coveringRow,
    Prisma.sql`select r.uid, r.name from recordings r
      where r.device_id = ${alert.device_id} and r.organization_id = ${ctx.organizationId}
        and r.status in ('ready', 'archived')
        and r.started_at between ${at}::timestamptz - ${maxBefore}::interval and ${at}::timestamptz
        and r.ended_at >= ${at}::timestamptz
      order by r.started_at desc, r.uid desc limit 1`,
  );
  return found ?? null;
}
