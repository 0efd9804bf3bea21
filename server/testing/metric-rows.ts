import { z } from "zod";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { jsonb, jsonObject, notNull, text, timestamptz } from "@/server/platform/rows";

/** The points of a device in order of time, with their numbers by name. */
export async function readPoints(device: string): Promise<[at: string, numbers: Record<string, unknown>][]> {
  const rows = await query(
    { db: prisma },
    { at: notNull(timestamptz), numbers: jsonObject },
    Prisma.sql`select p.at, coalesce((select json_object_agg(n.name, v.value order by v.place) from metric_lists l
        cross join unnest(l.names, p."values") with ordinality as v(name, value, place) join metric_names n on n.id = v.name
        where l.id = p.list and v.value is not null), '{}'::json) as numbers
      from metric_points p join devices d on d.number = p.device where d.uid = ${device} order by p.at`,
  );
  return rows.map(({ at, numbers }) => [at.toISOString(), numbers]);
}

/** When texts and booleans of a device changed, in order of time. */
export async function readStates(device: string): Promise<[at: string, name: string, value: string | boolean][]> {
  const rows = await query(
    { db: prisma },
    { at: notNull(timestamptz), name: text, value: jsonb(z.union([z.string(), z.boolean()])) },
    Prisma.sql`select c.at, n.name, c.value from metric_changes c join metric_names n on n.id = c.name
      join devices d on d.number = c.device where d.uid = ${device} order by c.at, n.name`,
  );
  return rows.map(({ at, name, value }) => [at.toISOString(), name, value]);
}
