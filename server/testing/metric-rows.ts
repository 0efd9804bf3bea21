import { z } from "zod";
import { flattenMetrics } from "@/domain/health/flatten";
import { writeLatePoints } from "@/server/features/health/late-service";
import { placeMetrics } from "@/server/features/health/points-service";
import type { ProgressName } from "@/server/features/health/progress-service";
import { systemContext } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query, transaction } from "@/server/platform/db";
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

/** Writes heartbeats of a device with these metrics, as if they had come at these times (in milliseconds). */
export async function writeMetrics(
  deviceUid: string,
  heartbeats: readonly (readonly [at: number, metrics: object])[],
): Promise<void> {
  const device = await prisma.device.findUniqueOrThrow({ where: { uid: deviceUid } });
  const flat = heartbeats.map(([, metrics]) => flattenMetrics({ ...metrics }));
  const { organizationId } = device;
  const rows = await placeMetrics({ db: prisma, organizationId }, deviceUid, flat);
  const points = (rows ?? []).map((row, n) => ({ ...row, at: new Date(heartbeats[n]?.[0] ?? 0) }));
  await transaction(systemContext(prisma, organizationId), (tx) =>
    writeLatePoints(tx, [{ device: device.number, points }]),
  );
  const last = Object.fromEntries(heartbeats.flatMap(([, metrics]) => Object.entries(metrics)));
  await prisma.device.update({ where: { uid: deviceUid }, data: { metrics: last } });
}

/** Sets until when rollups are made and raw points were emptied, in milliseconds. */
export async function setRollupProgress(values: Partial<Record<ProgressName, number>>): Promise<void> {
  for (const [name, at] of Object.entries(values))
    await prisma.metricProgress.update({ where: { name }, data: { at: new Date(at) } });
}
