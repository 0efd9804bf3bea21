import { deviceStatuses } from "@/domain/devices/connectivity";
import type { FleetGroup } from "@/domain/overview/groupings";
import { severities } from "@/domain/severity";
import type { MetricReading } from "@/server/features/devices/resource";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { float8, int4, jsonbObject, nullable, oneOf, text, type Wire } from "@/server/platform/rows";
import { severityOfRank } from "@/server/platform/severity-sql";
import { readFirst } from "@/server/read-models/health/readings";
import { tabPredicate } from "@/server/read-models/inbox/inbox";
import { counted, demoOnly } from "@/server/read-models/overview/tiles";

const markRow = {
  uid: text,
  name: text,
  status: oneOf(deviceStatuses),
  worst: nullable(oneOf(severities)),
  open_alerts: int4,
};
const cellRow = { ...markRow, type: text, metrics: jsonbObject };
type FleetCell = Wire<typeof markRow> & {
  /** The metric that is shown first for its type; null where it sends none. */
  reading: MetricReading | null;
};

/** What a mark stands for: the worst open alert of a device, or its status. */
const tones = [...severities, ...deviceStatuses] as const;
type FleetTone = (typeof tones)[number];

interface FleetBlock {
  name: string;
  total: number;
  /** How many devices by what their mark would be. */
  counts: Partial<Record<FleetTone, number>>;
  /** The worst first; none in a fleet that is too large to tell marks apart. */
  cells: FleetCell[];
}

export interface Fleet {
  demo_only: boolean;
  /** The number of devices in all blocks. */
  size: number;
  blocks: FleetBlock[];
}

const placedDeviceRow = { ...markRow, lat: float8, lon: float8 };
export type PlacedDevice = Wire<typeof placedDeviceRow>;

const maxDevices = 20_000;
const maxAlerts = 20_000;
/** Above this, blocks are counted and have no cells. */
const maxCells = 200;
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
 * The fleet in blocks by type or first tag, the largest first: how many devices are in which state, and, in a fleet of
 * at most 200, one cell per device.
 */
export async function readFleet(ctx: Ctx, by: FleetGroup): Promise<Fleet> {
  const [demo, silences] = await Promise.all([demoOnly(ctx), activeSilences(ctx)]);
  const block = by === "type" ? Prisma.sql`d.type` : Prisma.sql`coalesce(d.tags[1], '')`;
  const fleet = Prisma.sql`
    with open as (${openByDevice(ctx, demo, tabPredicate("open", silences))}),
    fleet as (
      select ${block} as block, ${cellColumns}, d.type, d.metrics, coalesce(o.rank, -1) as rank from (
        select d.uid, d.name, d.status, d.type, d.tags, d.metrics from devices d
        where d.organization_id = ${ctx.organizationId} ${counted("d", demo)} order by d.uid desc limit ${maxDevices}) d
      left join open o on o.device_id = d.uid)`;
  const counts = await sql(
    { block: text, tone: oneOf(tones), count: int4 },
    Prisma.sql`${fleet} select block, coalesce(worst, status) as tone, count(*)::int as count from fleet group by 1, 2`,
  );
  const blocks = new Map<string, FleetBlock>();
  for (const { block: name, tone, count } of counts) {
    const known = blocks.get(name) ?? { name, total: 0, counts: {}, cells: [] };
    known.total += count;
    known.counts[tone] = count;
    blocks.set(name, known);
  }
  const size = counts.reduce((sum, { count }) => sum + count, 0);
  if (size <= maxCells) {
    const cells = await sql(
      { ...cellRow, block: text },
      Prisma.sql`${fleet} select block, uid, name, status, worst, open_alerts, type, metrics from fleet
        order by rank desc, status = 'online', name, uid limit ${maxCells}`,
    );
    const readings = await readFirst(ctx, cells);
    for (const [at, { block: name, type: _, metrics: __, ...cell }] of cells.entries())
      blocks.get(name)?.cells.push({ ...cell, reading: readings[at] ?? null });
  }
  const sorted = [...blocks.values()].sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  return { demo_only: demo, size, blocks: sorted.slice(0, maxBlocks) };
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
