import { z } from "zod";
import type { readOrdering } from "@/domain/devices/list-schema";
import { healthLimits } from "@/domain/health/limits";
import { guessMeaning, resolveMeaning } from "@/domain/health/meanings";
import type { DeviceOrder } from "@/server/features/devices/service";
import { readMeanings } from "@/server/features/health/meaning-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { bool, int4, jsonb, nullable, text } from "@/server/platform/rows";

/** The metrics that the list of devices has as columns. */
interface MetricColumns {
  /** What admins chose; null where that is left to the ranks. */
  chosen: string[] | null;
  columns: { name: string; label: string }[];
  /** Whether the list can be sorted by them. */
  sortable: boolean;
}

/** What admins of the organization chose, each name once; null where they have not. */
async function readChosen(ctx: Ctx): Promise<string[] | null> {
  const [row] = await query(
    ctx,
    { chosen: nullable(jsonb(z.array(z.string()).nullable())) },
    Prisma.sql`select settings -> 'device_metrics' as chosen from organizations where uid = ${ctx.organizationId}`,
  );
  return row?.chosen ? [...new Set(row.chosen)] : null;
}

/** The name of the metric that is ranked first for every type; none where no device has sent any. */
async function findFirst(ctx: Ctx): Promise<string[]> {
  const rows = await query(
    ctx,
    { name: text, rank: nullable(int4) },
    Prisma.sql`select n.name, m.rank from metric_names n
      left join metric_meanings m on m.organization_id = n.organization_id and m.name = n.name and m.device_type = ''
      where n.organization_id = ${ctx.organizationId}`,
  );
  const ranked = rows.map(({ name, rank }) => ({ name, rank: rank ?? guessMeaning(name).rank }));
  const [first] = ranked.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
  return first ? [first.name] : [];
}

/** The names of the metrics that the list has as columns: those chosen, else the one that is ranked first. */
export const listColumnNames = async (ctx: Ctx): Promise<string[]> => (await readChosen(ctx)) ?? findFirst(ctx);

async function isSortable(ctx: Ctx): Promise<boolean> {
  const [row] = await query(
    ctx,
    { few: bool },
    Prisma.sql`select count(*) <= ${healthLimits.sortedDevices} as few from (select from devices
      where organization_id = ${ctx.organizationId} limit ${healthLimits.sortedDevices + 1}) d`,
  );
  return row?.few ?? true;
}

/** The metrics that the list of devices has as columns, with what they are called for every type. */
export async function readMetricColumns(ctx: Ctx): Promise<MetricColumns> {
  const [chosen, sortable] = await Promise.all([readChosen(ctx), isSortable(ctx)]);
  const names = chosen ?? (await findFirst(ctx));
  const meanings = await readMeanings(ctx, names);
  const columns = names.map((name) => ({ name, label: resolveMeaning(name, meanings.get(name) ?? []).label }));
  return { chosen, columns, sortable };
}

/**
 * The order of devices by a metric of their last heartbeat: numbers, then texts and booleans by letter, then devices
 * without it, in either direction. No index has it, so all devices of the organization are read. Throws
 * `invalid("ordering")` in one with more than 10,000.
 */
export async function orderByMetric(
  ctx: Ctx,
  { name, descending }: NonNullable<ReturnType<typeof readOrdering>>,
): Promise<DeviceOrder> {
  if (!(await isSortable(ctx))) {
    const most = healthLimits.sortedDevices.toLocaleString("en");
    throw invalid("ordering", `Devices are sorted by a metric only where there are at most ${most}.`);
  }
  const [numbers, nothing] = descending ? [2, 0] : [0, 2];
  return {
    join: Prisma.sql`cross join lateral (
        select coalesce(d.metrics -> ${name}, d.metrics #> string_to_array(${name}, '.')) as value) found
      cross join lateral (select jsonb_typeof(found.value) as kind) json
      cross join lateral (select
        case when json.kind = 'number' then ${numbers}::int when json.kind in ('string', 'boolean') then 1 else ${nothing}::int end as kind,
        case when json.kind = 'number' then found.value::float8 else 0 end as number,
        case when json.kind in ('string', 'boolean') then left(found.value #>> '{}', ${healthLimits.textLength}::int) else '' end
          collate "C" as text) m`,
    columns: ["m.kind", "m.number", "m.text"],
    direction: descending ? "desc" : "asc",
  };
}
