import { type CoverageRequest, maxReachDays } from "@/domain/recordings/schema";
import { type Severity, severities } from "@/domain/severity";
import { listDevices } from "@/server/features/devices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { float8, int4, nullable, oneOf, text } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";

/** Recordings and alerts of a device that are looked at, the newest first. */
const maxLooked = 2_000;

/** What was recorded on a day. */
interface CoveredDay {
  /** The position of the day in the window. */
  day: number;
  /** Seconds covered by at least one recording. */
  seconds: number;
  alerts: number;
  worst_severity: Severity | null;
}

export interface DeviceCoverage {
  uid: string;
  name: string;
  /** Days with a recording or an alert, in order. */
  days: CoveredDay[];
}

const dayRow = {
  uid: text,
  day: int4,
  seconds: float8,
  alerts: int4,
  worst_severity: nullable(oneOf(severities)),
};

/** How much of each day devices recorded, and the alerts that triggered in it; the newest devices first. */
export async function readCoverage(ctx: Ctx, request: CoverageRequest): Promise<Page<DeviceCoverage>> {
  const { bounds, device_id, ...filters } = request;
  const only = device_id === undefined ? Prisma.empty : Prisma.sql`and d.uid = ${device_id}`;
  const page = await listDevices(ctx, filters, only);
  const rows = await readDays(
    ctx,
    page.results.map(({ uid }) => uid),
    bounds,
  );
  const days = new Map<string, CoveredDay[]>();
  for (const { uid, ...day } of rows) days.set(uid, [...(days.get(uid) ?? []), day]);
  return { ...page, results: page.results.map(({ uid, name }) => ({ uid, name, days: days.get(uid) ?? [] })) };
}

function readDays(ctx: Ctx, uids: string[], bounds: Date[]) {
  const [starts, ends] = [bounds.slice(0, -1), bounds.slice(1)];
  const first = Prisma.sql`${bounds[0]}::timestamptz`;
  const last = Prisma.sql`${bounds.at(-1)}::timestamptz`;
  const org = ctx.organizationId;
  return sql(
    dayRow,
    Prisma.sql`
    with shown as (select uid from unnest(${uids}::text[]) as s(uid)),
    days as (
      select (n - 1)::int as day, tstzrange(start_at, end_at) as span
      from unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) with ordinality as b(start_at, end_at, n)
    ), recorded as (
      select d.uid, range_agg(tstzrange(r.started_at, greatest(r.ended_at, r.started_at))) as spans
      from shown d cross join lateral (
        select started_at, ended_at from recordings
        where device_id = d.uid and organization_id = ${org}
          and started_at >= ${first} - ${`${maxReachDays} days`}::interval and started_at < ${last}
        order by started_at desc, uid desc limit ${maxLooked}
      ) r group by d.uid
    ), alarms as (
      select d.uid, width_bucket(a.triggered_at, ${starts}::timestamptz[]) - 1 as day,
        count(*)::int as alerts, max(a.severity_rank) as worst
      from shown d cross join lateral (
        select triggered_at, severity_rank from alerts
        where device_id = d.uid and organization_id = ${org} and triggered_at >= ${first} and triggered_at < ${last}
        order by triggered_at desc, uid desc limit ${maxLooked}
      ) a group by 1, 2
    ), covered as (
      select r.uid, d.day, sum(extract(epoch from upper(part) - lower(part)))::float8 as seconds
      from recorded r cross join days d cross join lateral unnest(r.spans * tstzmultirange(d.span)) as part
      group by 1, 2
    )
    select uid, day, coalesce(seconds, 0) as seconds, coalesce(alerts, 0) as alerts,
      ${severityOfRank(Prisma.sql`worst`)} as worst_severity
    from covered full join alarms using (uid, day) order by uid, day`,
  );
}
