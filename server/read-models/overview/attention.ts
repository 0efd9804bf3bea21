import type { ShownRows } from "@/domain/demo/schema";
import { severities } from "@/domain/severity";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { bool, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { tabPredicate } from "@/server/read-models/inbox/inbox";

const recordingInNeedRow = {
  uid: text,
  name: text,
  device_id: text,
  device_name: text,
  status: text,
  error_message: nullable(text),
  worst: nullable(oneOf(severities)),
  open_alerts: int4,
  demo: bool,
  started_at: timestamptz,
  created_at: timestamptz,
};
/** As many as have room beside the list of the fleet. */
const maxShown = 6;
export type RecordingInNeed = Wire<typeof recordingInNeedRow>;

/** The newest recordings that need attention, by when they began: those that failed to process or have an open alert. */
export async function recordingsInNeed(ctx: Ctx, { demo }: ShownRows): Promise<RecordingInNeed[]> {
  const silences = await activeSilences(ctx);
  const org = ctx.organizationId;
  return sql(
    recordingInNeedRow,
    Prisma.sql`
    with flagged as (
      select recording_id as uid, max(severity_rank) as rank, count(*)::int as count from (
        select a.recording_id, a.severity_rank from alerts a
        where a.organization_id = ${org} and a.status = 'open' and a.severity_rank > 0 and a.recording_id is not null
          ${demoFilter("a", demo)} ${tabPredicate("open", silences)}
        order by a.uid desc limit 2000) open group by recording_id),
    failed as (
      select r.uid from recordings r where r.organization_id = ${org} and r.status = 'error' ${demoFilter("r", demo)} order by r.started_at desc, r.uid desc limit ${maxShown})
    select r.uid, r.name, r.device_id, coalesce(d.name, r.device_name) as device_name, r.status, r.error_message,
      ${severityOfRank(Prisma.sql`f.rank`)} as worst, coalesce(f.count, 0) as open_alerts, r.demo, r.started_at, r.created_at
    from (select uid from failed union select uid from flagged) c
    join recordings r on r.uid = c.uid and r.organization_id = ${org}
    left join devices d on d.uid = r.device_id and d.organization_id = ${org} left join flagged f on f.uid = r.uid
    order by r.started_at desc, r.uid desc limit ${maxShown}`,
  );
}
