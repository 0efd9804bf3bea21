import { z } from "zod";
import { resolveMeaning } from "@/domain/health/meanings";
import type { MetricFilters } from "@/domain/health/schema";
import { readMeanings } from "@/server/features/health/meaning-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, jsonb, nullable, text } from "@/server/platform/rows";
import type { Metric } from "@/server/read-models/health/resource";

const metricRow = { name: text, devices: int4, sample: nullable(jsonb(z.unknown())) };

/** A value of a metric, or null for what is none. */
const toSample = (value: unknown): number | string | boolean | null =>
  typeof value === "number" || typeof value === "string" || typeof value === "boolean" ? value : null;

/** The metrics that devices of the organization have sent, by name, with what they mean for every type. */
export async function listMetrics(ctx: Ctx, { limit, cursor, ...filters }: MetricFilters): Promise<Page<Metric>> {
  const { organizationId } = ctx;
  const { search = "" } = filters;
  const found = search === "" ? Prisma.sql`true` : Prisma.sql`n.name ilike ${`%${likeText(search)}%`}`;
  const page = await keysetPage(ctx, {
    name: "metrics",
    filters,
    page: { limit, cursor },
    order: { columns: ["n.name"], direction: "asc" },
    key: ({ name }: { name: string }) => [name],
    // Devices share lists, so that they are counted once for each list. A device of each shows what it sends.
    fetch: ({ where, orderBy, limit: rows }) =>
      query(
        ctx,
        metricRow,
        Prisma.sql`with used as materialized (
            select metric_list as list, count(*)::int as devices, max(uid) as device from devices
            where organization_id = ${organizationId} and metric_list is not null group by metric_list
          ), page as materialized (
            select n.id, n.name from metric_names n
            where n.organization_id = ${organizationId} and ${found} and ${where} order by ${orderBy} limit ${rows}
          ), counted as (
            select v.name as id, sum(u.devices)::int as devices, array_agg(u.device) as devices_of
            from used u join metric_lists l on l.id = u.list and l.organization_id = ${organizationId}
              cross join unnest(l.names) as v(name)
            where v.name in (select id from page) group by v.name
          )
          select n.name, coalesce(c.devices, 0) as devices, s.sample
          from page n left join counted c on c.id = n.id
            left join lateral (
              select v.sample from unnest(c.devices_of[1:20]) as u(device)
                join devices d on d.uid = u.device and d.organization_id = ${organizationId}
                cross join lateral (select coalesce(d.metrics -> n.name, d.metrics #> string_to_array(n.name, '.'),
                  (select m.value from metric_changes m where m.device = d.number and m.name = n.id
                    order by m.at desc limit 1)) as sample) v
              where v.sample is not null limit 1) s on true
          order by ${orderBy}`,
      ),
  });
  const meanings = await readMeanings(
    ctx,
    page.results.map(({ name }) => name),
  );
  return {
    ...page,
    results: page.results.map(({ name, devices, sample }) => {
      const saved = meanings.get(name) ?? [];
      const value = toSample(sample);
      const { label, unit, kind, rank, bounds } = resolveMeaning(name, saved, null, value);
      return {
        name,
        label,
        unit,
        kind,
        rank,
        bounds,
        guessed: saved.length === 0,
        sample: value,
        devices,
        meanings: saved,
      };
    }),
  };
}
