import { getAlert } from "@/server/features/alerts/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { type Native, text } from "@/server/platform/rows";

/** Earlier recordings that are looked at: a rule that always triggers has no good run. */
const maxLooked = 500;

const runRow = { uid: text, name: text };
type GoodRun = Native<typeof runRow>;

/**
 * The newest recording of an alert's device that is ready, earlier than the alert's and without alerts of its rule; null
 * when there is none, or the alert is of no recording. Throws `not_found`.
 */
export async function findLastGoodRun(ctx: Ctx, alertUid: string): Promise<GoodRun | null> {
  const alert = await getAlert(ctx, alertUid);
  if (alert.recording_id === null) return null;
  const [run] = await query(
    ctx,
    runRow,
    Prisma.sql`with earlier as materialized (
        select r.uid, r.name, r.started_at from recordings r
        where r.organization_id = ${ctx.organizationId} and r.device_id = ${alert.device_id} and r.status = 'ready'
          and r.message_count > 0 and r.uid <> ${alert.recording_id}
          and r.started_at < (select started_at from recordings
            where uid = ${alert.recording_id} and organization_id = ${ctx.organizationId})
        order by r.started_at desc, r.uid desc limit ${maxLooked}
      )
      select uid, name from earlier
      where not exists (select 1 from alerts a where a.recording_id = earlier.uid
        and a.rule_id = ${alert.rule_id} and a.organization_id = ${ctx.organizationId})
      order by started_at desc, uid desc limit 1`,
  );
  return run ?? null;
}
