import type { Ctx } from "@/server/context";
import { Prisma } from "@/server/database/generated/client";
import { sql } from "@/server/db";
import type { DeviceOverview, DeviceVocabulary } from "@/server/devices/resource";
import type { DeviceFilters } from "@/server/devices/schema";
import { listDevices } from "@/server/devices/service";
import type { Page } from "@/server/pagination";

/** Counting stops here; a cell of a list needs no more. */
const mostAlerts = 100;

type Extra = Pick<DeviceOverview, "uid" | "open_alerts" | "worst_severity" | "last_recording_at">;

/**
 * The list with what its screen shows beside each device: its open alerts that nobody put to sleep (counted up to 100) and when
 * its newest recording was made. Each is a short range of an index by device, so a page costs the same in any fleet.
 */
export async function listDeviceOverviews(ctx: Ctx, filters: DeviceFilters): Promise<Page<DeviceOverview>> {
  const page = await listDevices(ctx, filters);
  const uids = page.results.map((device) => device.uid);
  const extras = await sql<Extra>(Prisma.sql`
    select d.uid, a.open_alerts, a.worst_severity, r.created_at as last_recording_at
    from unnest(${uids}::text[]) as d(uid)
    cross join lateral (
      select count(*)::int as open_alerts,
        (array['info', 'warning', 'error', 'critical'])[max(array_position(array['info', 'warning', 'error', 'critical'], severity))]
          as worst_severity
      from (
        select severity from alerts
        where device_id = d.uid and status = 'open' and snoozed_until is null and organization_id = ${ctx.organizationId}
        limit ${mostAlerts}
      ) open
    ) a
    left join lateral (
      select created_at from recordings
      where device_id = d.uid and organization_id = ${ctx.organizationId}
      order by uid desc limit 1
    ) r on true`);
  const byUid = new Map(extras.map(({ uid, ...extra }) => [uid, extra]));
  const none = { open_alerts: 0, worst_severity: null, last_recording_at: null };
  return { ...page, results: page.results.map((device) => ({ ...device, ...(byUid.get(device.uid) ?? none) })) };
}

const mostWords = 200;

/** The distinct values of a column, in order: hops from value to value along an index that begins with organization and column. */
const distinct = (ctx: Ctx, table: string, column: string): Prisma.Sql => {
  const [from, value] = [Prisma.raw(table), Prisma.raw(column)];
  return Prisma.sql`
    with recursive words(word) as (
      (select min(${value}) from ${from} where organization_id = ${ctx.organizationId})
      union all
      select (select min(${value}) from ${from} where organization_id = ${ctx.organizationId} and ${value} > word)
      from words where word is not null
    )
    select word from words where word is not null limit ${mostWords}`;
};

/** The types and tags in use, the first 200 of each: what filters and forms offer. */
export async function deviceVocabulary(ctx: Ctx): Promise<DeviceVocabulary> {
  const [types, tags] = await Promise.all([
    sql<{ word: string }>(distinct(ctx, "devices", "type")),
    sql<{ word: string }>(distinct(ctx, "device_tags", "tag")),
  ]);
  return { types: types.map(({ word }) => word), tags: tags.map(({ word }) => word) };
}
