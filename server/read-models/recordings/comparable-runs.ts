import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { bool, type Native, text, timestamptz } from "@/server/platform/rows";

/** Recordings of the device that are looked at on either side. */
const maxLooked = 500;

const runRow = {
  is_calm: bool,
  has_same_name: bool,
  uid: text,
  name: text,
  device_name: text,
  started_at: timestamptz,
};
type Run = Native<typeof runRow>;

/** What a recording may be compared with, each of its device; null where there is none. */
export interface ComparableRuns {
  /** The last one without an open alert. */
  calm: ComparableRun | null;
  /** The last one of the same name. */
  same_name: ComparableRun | null;
}
interface ComparableRun {
  uid: string;
  name: string;
  device_name: string;
  started_at: string;
}

/** Runs of the same device that a recording may be compared with, earlier ones first. Throws `not_found`. */
export async function findComparableRuns(ctx: Ctx, uid: string): Promise<ComparableRuns> {
  const own = await findRecording(ctx, uid);
  const others = Prisma.sql`r.organization_id = ${ctx.organizationId} and r.device_id = ${own.device_id}
    and r.status = 'ready' and r.message_count > 0 and r.uid <> ${uid}`;
  const at = Prisma.sql`${new Date(own.started_at)}::timestamptz`;
  const rows = await query(
    ctx,
    runRow,
    Prisma.sql`with near as materialized (
        (select r.uid, r.name, r.device_name, r.started_at, true as is_earlier from recordings r
        where ${others} and r.started_at <= ${at} order by r.started_at desc, r.uid desc limit ${maxLooked})
        union all
        (select r.uid, r.name, r.device_name, r.started_at, false as is_earlier from recordings r
        where ${others} and r.started_at > ${at} order by r.started_at, r.uid limit ${maxLooked})
      ), judged as (
        select *, name <> '' and name = ${own.name} as has_same_name, not exists (select 1 from alerts a
          where a.recording_id = near.uid and a.organization_id = ${ctx.organizationId} and a.status <> 'resolved') as is_calm
        from near
      ), ordered as (
        select *, row_number() over (partition by is_calm order by is_earlier desc, abs(extract(epoch from started_at - ${at}))) as calm_at,
          row_number() over (partition by has_same_name order by is_earlier desc, abs(extract(epoch from started_at - ${at}))) as name_at
        from judged
      )
      select is_calm and calm_at = 1 as is_calm, has_same_name and name_at = 1 as has_same_name,
        uid, name, device_name, started_at
      from ordered where is_calm and calm_at = 1 or has_same_name and name_at = 1`,
  );
  return {
    calm: toRun(rows.find(({ is_calm }) => is_calm)),
    same_name: toRun(rows.find(({ has_same_name }) => has_same_name)),
  };
}

const toRun = (run: Run | undefined): ComparableRun | null =>
  run ? { uid: run.uid, name: run.name, device_name: run.device_name, started_at: run.started_at.toISOString() } : null;
