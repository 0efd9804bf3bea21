import { deviceStatuses } from "@/domain/devices/connectivity";
import type { FleetGroup } from "@/domain/overview/groupings";
import { severities } from "@/domain/severity";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { float8, int4, nullable, oneOf, text, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { tabPredicate } from "@/server/read-models/inbox/inbox";
import { counted, demoOnly } from "@/server/read-models/overview/tiles";

const cellRow = {
  uid: text,
  name: text,
  status: oneOf(deviceStatuses),
  worst: nullable(oneOf(severities)),
  open_alerts: int4,
};
type FleetCell = Wire<typeof cellRow>;

interface FleetBlock {
  name: string;
  total: number;
  /** The worst first; devices beyond the limit of cells are only counted. */
  cells: FleetCell[];
}

export interface Fleet {
  demo_only: boolean;
  blocks: FleetBlock[];
}

const placedDeviceRow = { ...cellRow, lat: float8, lon: float8 };
export type PlacedDevice = Wire<typeof placedDeviceRow>;

const maxDevices = 20_000;
const maxAlerts = 20_000;
const maxCells = 600;
const maxBlocks = 24;

/**
 * The number and highest severity of each device's open alerts neither silenced nor snoozed, among the 20,000 worst.
 */
const openByDevice = (ctx: Ctx, demo: boolean, away: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select device_id, max(severity_rank) as rank, count(*)::int as count from (
    select a.device_id, a.severity_rank from alerts a
    where a.organization_id = ${ctx.organizationId} and a.status = 'open' ${counted("a", demo)} ${away}
    order by a.severity_rank desc, a.uid desc limit ${maxAlerts}) open group by device_id`;

const cellColumns = Prisma.sql`d.uid, d.name, d.status, coalesce(o.count, 0) as open_alerts,
  ${severityOfRank(Prisma.sql`o.rank`)} as worst`;

/**
 * One cell per device in blocks by type or first tag; at most about 600 cells whatever the fleet's size, the worst of
 * each block.
 */
export async function readFleet(ctx: Ctx, by: FleetGroup): Promise<Fleet> {
  const [demo, silences] = await Promise.all([demoOnly(ctx), activeSilences(ctx)]);
  const block = by === "type" ? Prisma.sql`d.type` : Prisma.sql`coalesce(d.tags[1], '')`;
  const rows = await sql(
    { ...cellRow, block: text, total: int4, blocks: int4, place: int4 },
    Prisma.sql`
    with open as (${openByDevice(ctx, demo, tabPredicate("open", silences))}),
    fleet as (
      select ${block} as block, ${cellColumns}, coalesce(o.rank, -1) as rank from (
        select d.uid, d.name, d.status, d.type, d.tags from devices d
        where d.organization_id = ${ctx.organizationId} ${counted("d", demo)} order by d.uid desc limit ${maxDevices}) d
      left join open o on o.device_id = d.uid),
    sizes as (
      select block, count(*)::int as total, row_number() over (order by count(*) desc, block) as nth, count(*) over ()::int as blocks
      from fleet group by block),
    placed as (
      select f.block, f.uid, f.name, f.status, f.worst, f.open_alerts, s.total, s.blocks,
        row_number() over (partition by f.block order by f.rank desc, f.status = 'online', f.name, f.uid)::int as place
      from fleet f join sizes s using (block) where s.nth <= ${maxBlocks})
    select * from placed where place <= greatest(20, ${maxCells} / least(blocks, ${maxBlocks})) or (total <= 200 and blocks <= 6)
    order by total desc, block, place limit ${maxCells * 2}`,
  );
  const blocks = new Map<string, FleetBlock>();
  for (const { block: name, total, blocks: _, place: __, ...cell } of rows) {
    const known = blocks.get(name) ?? { name, total, cells: [] };
    known.cells.push(cell);
    blocks.set(name, known);
  }
  return { demo_only: demo, blocks: [...blocks.values()] };
}

/** Devices with a location in their metadata (`location: {lat, lon}`), the newest 500. */
export async function placedDevices(ctx: Ctx): Promise<PlacedDevice[]> {
  const [demo, silences] = await Promise.all([demoOnly(ctx), activeSilences(ctx)]);
  return sql(
    placedDeviceRow,
    Prisma.sql`
    with placed as (
      select d.* from devices d where d.organization_id = ${ctx.organizationId} ${counted("d", demo)}
        and d.metadata @? '$.location ? (@.lat.type() == "number" && @.lon.type() == "number" && @.lat >= -90 && @.lat <= 90 && @.lon >= -180 && @.lon <= 180)'
      order by d.uid desc limit 500),
    open as (${openByDevice(ctx, demo, tabPredicate("open", silences))})
    select ${cellColumns}, (d.metadata->'location'->>'lat')::float8 as lat, (d.metadata->'location'->>'lon')::float8 as lon
    from placed d left join open o on o.device_id = d.uid order by d.uid desc`,
  );
}
