import type { ShownRows } from "@/domain/demo/schema";
import { deviceStatuses } from "@/domain/devices/connectivity";
import { severities } from "@/domain/severity";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { float8, nullable, oneOf, text, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { tabPredicate } from "@/server/read-models/inbox/inbox";
import { openByDevice } from "@/server/read-models/overview/ranking";

const placedDeviceRow = {
  uid: text,
  name: text,
  status: oneOf(deviceStatuses),
  worst: nullable(oneOf(severities)),
  lat: float8,
  lon: float8,
};
export type PlacedDevice = Wire<typeof placedDeviceRow>;

/** Devices with a location in their metadata (`location: {lat, lon}`), the newest 500. */
export async function placedDevices(ctx: Ctx, { demo }: ShownRows): Promise<PlacedDevice[]> {
  const silences = await activeSilences(ctx);
  return sql(
    placedDeviceRow,
    Prisma.sql`
    with placed as (
      select d.* from devices d where d.organization_id = ${ctx.organizationId} ${demoFilter("d", demo)}
        and d.metadata @? '$.location ? (@.lat.type() == "number" && @.lon.type() == "number" && @.lat >= -90 && @.lat <= 90 && @.lon >= -180 && @.lon <= 180)'
      order by d.uid desc limit 500),
    open as (${openByDevice(ctx, demo, tabPredicate("open", silences))})
    select d.uid, d.name, d.status, ${severityOfRank(Prisma.sql`o.rank`)} as worst,
      (d.metadata->'location'->>'lat')::float8 as lat, (d.metadata->'location'->>'lon')::float8 as lon
    from placed d left join open o on o.device_id = d.uid order by d.uid desc`,
  );
}
