import { type DeviceListFilters, readOrdering } from "@/domain/devices/list-schema";
import { cellCeiling } from "@/domain/limits";
import { bySeverity, severities } from "@/domain/severity";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { isInGroups } from "@/server/features/devices/group-queries";
import type { DeviceOverview, DeviceResource } from "@/server/features/devices/resource";
import { listDevices } from "@/server/features/devices/service";
import { activeSilences, type ActiveSilence } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { arrayOf, int4, int8, notNull, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { listColumnNames, orderByMetric } from "@/server/read-models/health/metric-columns";
import { readNamed } from "@/server/read-models/health/readings";
import { tabPredicate } from "@/server/read-models/inbox/inbox";

const extraRow = {
  uid: text,
  storage_bytes: int8,
  open_alerts: int4,
  worst_severity: nullable(oneOf(severities)),
  open_by_rank: notNull(arrayOf(int4)),
  last_recording_at: nullable(timestamptz),
  metrics_at: nullable(timestamptz),
};

/** The filters that only the dashboard has, as conditions on the device `d`. */
export async function buildScreenFilters(ctx: Ctx, filters: DeviceListFilters): Promise<Prisma.Sql> {
  const parts = [Prisma.empty];
  const versions = filters.firmware?.map((version) => (version === "none" ? null : version));
  if (versions?.length) {
    const known = versions.filter((version) => version !== null);
    parts.push(
      Prisma.sql`and (d.firmware_version = any(${known}) ${versions.includes(null) ? Prisma.sql`or d.firmware_version is null` : Prisma.empty})`,
    );
  }
  if (filters.any_tags?.length) {
    parts.push(Prisma.sql`and exists (select 1 from device_tags t where t.organization_id = ${ctx.organizationId}
      and t.tag = any(${filters.any_tags}) and t.device_id = d.uid)`);
  }
  if (filters.group_id?.length) parts.push(Prisma.sql`and ${isInGroups(Prisma.sql`d.uid`, filters.group_id)}`);
  if (filters.not_in_group !== undefined)
    parts.push(Prisma.sql`and not exists (select 1 from device_group_members m
      where m.device_id = d.uid and m.group_id = ${filters.not_in_group})`);
  if (filters.not_seen_for !== undefined) {
    const seconds = filters.not_seen_for / 1_000;
    parts.push(Prisma.sql`and (d.last_seen_at is null or d.last_seen_at < now() - make_interval(secs => ${seconds}))`);
  }
  if (filters.open_alerts !== undefined) {
    const away = tabPredicate("open", await activeSilences(ctx));
    parts.push(Prisma.sql`and ${filters.open_alerts ? Prisma.empty : Prisma.sql`not`} exists (select 1 from alerts a
      where a.device_id = d.uid and a.status = 'open' and a.organization_id = ${ctx.organizationId} ${away})`);
  }
  return Prisma.join(parts, " ");
}

/**
 * The device list with the additional columns of its screen: open alerts neither silenced nor snoozed by severity
 * (counted up to 100), the time of the newest recording, storage, and metrics. Each is a short index range, so the cost
 * does not grow with the fleet, unless it is sorted by a metric.
 */
export async function listDeviceOverviews(ctx: Ctx, given: DeviceListFilters): Promise<Page<DeviceOverview>> {
  const filters = applyDemoRule(given);
  const ordering = filters.ordering === undefined ? null : readOrdering(filters.ordering);
  const order = ordering ? await orderByMetric(ctx, ordering) : undefined;
  const [page, silences, names] = await Promise.all([
    listDevices(ctx, filters, await buildScreenFilters(ctx, filters), order),
    activeSilences(ctx),
    listColumnNames(ctx),
  ]);
  const uids = page.results.map((device) => device.uid);
  const [extras, readings] = await Promise.all([readExtras(ctx, uids, silences), readNamed(ctx, page.results, names)]);
  const byUid = new Map(
    extras.map(({ uid, open_by_rank: byRank, ...extra }) => [uid, { ...extra, open_by_severity: bySeverity(byRank) }]),
  );
  const none = {
    ...{ open_alerts: 0, worst_severity: null, open_by_severity: bySeverity([]) },
    ...{ last_recording_at: null, metrics_at: null, storage_bytes: 0 },
  };
  const withExtras = (device: DeviceResource, at: number): DeviceOverview => ({
    ...device,
    ...(byUid.get(device.uid) ?? none),
    readings: readings[at] ?? [],
  });
  return { ...page, results: page.results.map(withExtras) };
}

/** What the screen adds to devices, by one statement for a page of them. Points of other days are not looked at. */
const readExtras = (ctx: Ctx, uids: readonly string[], silences: readonly ActiveSilence[]) =>
  sql(
    extraRow,
    Prisma.sql`
    select d.uid, v.storage_bytes, o.open_alerts, o.worst_severity, o.open_by_rank, r.started_at as last_recording_at,
      coalesce(p.at, v.last_seen_at) as metrics_at
    from unnest(${[...uids]}::text[]) as d(uid)
    join devices v on v.uid = d.uid and v.organization_id = ${ctx.organizationId}
    cross join lateral (
      select count(*)::int as open_alerts, ${severityOfRank(Prisma.sql`max(severity_rank)`)} as worst_severity,
        array[${Prisma.join(severities.map((_, rank) => Prisma.sql`count(*) filter (where severity_rank = ${rank})`))}]::int[] as open_by_rank
      from (
        select a.severity_rank from alerts a
        where a.device_id = d.uid and a.status = 'open' and a.organization_id = ${ctx.organizationId} ${tabPredicate("open", silences)}
        limit ${cellCeiling}
      ) open
    ) o
    left join lateral (
      select started_at from recordings
      where device_id = d.uid and organization_id = ${ctx.organizationId}
      order by started_at desc, uid desc limit 1
    ) r on true
    left join lateral (
      select at from metric_points where device = v.number and at >= now() - interval '4 days'
        and at <= now() + interval '1 day'
      order by at desc limit 1
    ) p on v.metric_list is not null`,
  );
