import type { ShownRows } from "@/domain/demo/schema";
import type { DeviceGrouping } from "@/domain/overview/groupings";
import { severities } from "@/domain/severity";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { float8, int4, nullable, oneOf, text, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { tabPredicate } from "@/server/read-models/inbox/inbox";

const deviceGroupRow = {
  /** The type, tag or version; empty for devices without one. */
  name: text,
  devices: int4,
  online: int4,
  offline: int4,
  maintenance: int4,
  /** Devices with an open alert that is neither silenced nor snoozed, and the highest severity of those alerts. */
  alerting: int4,
  worst: nullable(oneOf(severities)),
  storage_bytes: float8,
};
export type DeviceGroupRow = Wire<typeof deviceGroupRow>;

const keys: Record<DeviceGrouping, Prisma.Sql> = {
  type: Prisma.sql`d.type`,
  firmware: Prisma.sql`coalesce(d.firmware_version, '')`,
  tag: Prisma.sql`tag.name`,
};

/** The fleet by type, tag or firmware, the largest first, at most 200; a device with three tags is in three groups. */
export async function groupDevices(ctx: Ctx, by: DeviceGrouping, { demo }: ShownRows): Promise<DeviceGroupRow[]> {
  const silences = await activeSilences(ctx);
  return sql(
    deviceGroupRow,
    Prisma.sql`
    with open as (
      select device_id, max(severity_rank) as rank from (
        select a.device_id, a.severity_rank from alerts a
        where a.organization_id = ${ctx.organizationId} and a.status = 'open' ${tabPredicate("open", silences)}
        order by a.severity_rank desc, a.uid desc limit 20000) worst group by device_id)
    select ${keys[by]} as name, count(*)::int as devices,
      count(*) filter (where d.status = 'online')::int as online, count(*) filter (where d.status = 'offline')::int as offline,
      count(*) filter (where d.status = 'maintenance')::int as maintenance, count(o.rank)::int as alerting,
      ${severityOfRank(Prisma.sql`max(o.rank)`)} as worst, sum(d.storage_bytes)::float8 as storage_bytes
    from devices d left join open o on o.device_id = d.uid
    ${by === "tag" ? Prisma.sql`cross join lateral unnest(case when d.tags = '{}' then array[''] else d.tags end) as tag(name)` : Prisma.empty}
    where d.organization_id = ${ctx.organizationId} ${demoFilter("d", demo)} group by 1 order by count(*) desc, 1 limit 200`,
  );
}

const firmwareRow = { version: text, devices: int4 };

/** The number of devices by firmware version, the most common first; empty for those that reported none. */
export async function firmwareSpread(ctx: Ctx, { demo }: ShownRows): Promise<Wire<typeof firmwareRow>[]> {
  return sql(
    firmwareRow,
    Prisma.sql`
    select coalesce(d.firmware_version, '') as version, count(*)::int as devices from devices d
    where d.organization_id = ${ctx.organizationId} ${demoFilter("d", demo)} group by 1 order by 2 desc, 1 limit 50`,
  );
}
