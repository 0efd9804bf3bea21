import { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, json, jsonb, type Native, notNull, text, timestamptz } from "@/server/platform/rows";

/** A heartbeat: the numbers that rules read, null where it had none, and the texts and booleans in force. */
interface LivePoint {
  at: Date;
  numbers: Readonly<Record<string, number | null>>;
  states: Readonly<Record<string, string | boolean>>;
}

/** The values of a heartbeat by the name of the metric; a number where it had one. */
export function readValues({ numbers, states }: LivePoint): Record<string, number | string | boolean> {
  const values: Record<string, number | string | boolean> = { ...states };
  for (const [name, value] of Object.entries(numbers)) if (value !== null) values[name] = value;
  return values;
}

/** A device, by its number, and the time from which on its points are read. */
export interface PointsAfter {
  device: number;
  after: Date;
}

/** What came too late for a rule: the spans of time of the device `f`, as a query. */
const selectLate = (ruleUid: string): Prisma.Sql => {
  const time = (at: number) =>
    Prisma.sql`timestamptz 'epoch' + (span ->> ${at}::int)::float8 * interval '1 millisecond'`;
  return Prisma.sql`select coalesce(range_agg(tstzrange(${time(0)}, ${time(1)}, '[]')), '{}') as late
    from devices d join live_rule_states s on s.rule_id = ${ruleUid} and s.device_id = d.uid
      cross join lateral jsonb_array_elements(
        case when jsonb_typeof(s.state -> 'late') = 'array' then s.state -> 'late' end) span
    where d.number = f.device`;
};

/** Points of one device that are read together; more follow the next time. */
export const pointsPerDevice = 500;

const pointRow = {
  device: int4,
  at: notNull(timestamptz),
  numbers: json(z.record(z.string(), z.number().nullable())),
};
const changeRow = {
  device: int4,
  name: text,
  at: notNull(timestamptz),
  value: jsonb(z.union([z.string(), z.boolean()])),
};
type Change = Native<typeof changeRow>;

/**
 * The next points of devices in order of time, at most `pointsPerDevice` each, with the metrics of these names, and for a
 * rule without those that came too late for it.
 */
export async function listPointsAfter(
  tx: Ctx,
  devices: readonly PointsAfter[],
  names: readonly string[],
  ruleUid: string | null = null,
): Promise<Map<number, LivePoint[]>> {
  const from = Prisma.sql`json_to_recordset(${JSON.stringify(devices)}::json) as f(device int, after timestamptz)`;
  // In the same statement as the points, because a batch writes both together.
  const without = ruleUid === null ? Prisma.sql`select '{}'::tstzmultirange as late` : selectLate(ruleUid);
  const points = await query(
    tx,
    pointRow,
    Prisma.sql`select p.device, p.at, coalesce((select json_object_agg(n.name, p."values"[array_position(l.names, n.id)])
          from metric_names n where n.organization_id = ${tx.organizationId} and n.name = any(${[...names]}::text[])), '{}'::json) as numbers
      from ${from} cross join lateral (${without}) w join lateral (
        select * from metric_points p where p.device = f.device and p.at > f.after and not p.at <@ w.late
        order by p.at limit ${pointsPerDevice}::int
      ) p on true join metric_lists l on l.id = p.list
      order by p.device, p.at`,
  );
  const changes = points.length > 0 ? await listChanges(tx, from, names) : new Map<number, Change[]>();
  const found = new Map<number, LivePoint[]>();
  for (const { device, at, numbers } of points) {
    const own = found.get(device) ?? [];
    found.set(device, own);
    // A state holds until it changes; both are in order of time.
    const states = { ...own.at(-1)?.states };
    const ahead = changes.get(device) ?? [];
    while (ahead[0] && ahead[0].at <= at) {
      const { name, value } = ahead.shift()!;
      states[name] = value;
    }
    own.push({ at, numbers, states });
  }
  return found;
}

/** The texts and booleans of the names: the last change of each before, and those after, in order of time. */
async function listChanges(tx: Ctx, from: Prisma.Sql, names: readonly string[]): Promise<Map<number, Change[]>> {
  const named = Prisma.sql`metric_names n on n.organization_id = ${tx.organizationId} and n.name = any(${[...names]}::text[])`;
  const rows = await query(
    tx,
    changeRow,
    Prisma.sql`select c.device, n.name, c.at, c.value from ${from} join ${named} join lateral (
        select * from metric_changes c where c.device = f.device and c.name = n.id and c.at <= f.after
        order by c.at desc limit 1) c on true
      union all select c.device, n.name, c.at, c.value from ${from} join ${named} join lateral (
        select * from metric_changes c where c.device = f.device and c.name = n.id and c.at > f.after
        order by c.at limit ${pointsPerDevice}::int) c on true
      order by device, at`,
  );
  const changes = new Map<number, Change[]>();
  for (const row of rows) {
    const own = changes.get(row.device);
    if (own) own.push(row);
    else changes.set(row.device, [row]);
  }
  return changes;
}
