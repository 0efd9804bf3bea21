import { z } from "zod";
import type { TopicFilters } from "@/domain/rules/schema";
import { plottedFields } from "@/server/features/recordings/plotted-fields-queries";
import { TopicField, type TopicResource } from "@/server/features/rules/resource";
import { scopeFilter } from "@/server/features/rules/scope-queries";
import { maxDevices } from "@/server/features/rules/warnings-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page, type Window } from "@/server/platform/pagination";
import { float8, int4, jsonb, text } from "@/server/platform/rows";

/** The maximum of distinct topic names that are searched for one page. */
const maxNames = 5_000;

const topicRow = {
  name: text,
  schema: text,
  encoding: text,
  frequency_hz: float8,
  device_count: int4,
  devices_total: int4,
  recording_id: text,
  fields: jsonb(z.array(TopicField)),
};

/**
 * The topics that devices in scope recorded, by name, with the schema, rate and fields of their newest recording, for
 * pickers. `q`: part of the name. Every step is an index lookup, so the cost does not grow with recordings.
 */
export const listTopics = (ctx: Ctx, { limit, cursor, ...filters }: TopicFilters): Promise<Page<TopicResource>> =>
  keysetPage<TopicResource>(ctx, {
    name: "topics",
    filters,
    page: { limit, cursor },
    order: { columns: ["names.name"], direction: "asc" },
    key: ({ name }) => [name],
    fetch: (window) => fetchTopics(ctx, filters, window),
  });

async function fetchTopics(
  ctx: Ctx,
  filters: Omit<TopicFilters, "limit" | "cursor">,
  { where, orderBy, descending, limit }: Window,
): Promise<TopicResource[]> {
  const scope = { device_ids: filters.device_id ?? [], group_ids: filters.group_id ?? [], tags: filters.tags ?? [] };
  const pattern = filters.q?.trim() ? `%${likeText(filters.q.trim())}%` : null;
  const org = ctx.organizationId;
  const [beyond, direction] = descending ? [Prisma.raw("<"), Prisma.raw("desc")] : [Prisma.raw(">"), Prisma.raw("asc")];
  const rows = await sql(
    topicRow,
    Prisma.sql`
    with recursive names(name, position) as (
      (select names.name, 1 from topics names where names.organization_id = ${org} and ${where} order by ${orderBy} limit 1)
      union all
      select (select t.name from topics t where t.organization_id = ${org} and t.name ${beyond} names.name
        order by t.name ${direction} limit 1), names.position + 1
      from names where names.name is not null and names.position < ${maxNames}
    ), scoped as materialized (
      select d.uid from devices d where d.organization_id = ${org} ${scopeFilter(ctx, scope, "d.uid")}
      order by d.uid desc limit ${maxDevices}
    ), wanted as materialized (
      select names.name from names where names.name is not null
        ${pattern === null ? Prisma.empty : Prisma.sql`and names.name ilike ${pattern}`}
        and exists (select 1 from scoped where exists (
          select 1 from topics t where t.device_id = scoped.uid and t.name = names.name))
      order by ${orderBy} limit ${limit}
    )
    select wanted.name, newest.schema_name as schema, newest.encoding, newest.frequency_hz,
      (select count(*)::int from scoped where exists (
        select 1 from topics t where t.device_id = scoped.uid and t.name = wanted.name)) as device_count,
      (select count(*)::int from scoped) as devices_total, newest.recording_id,
      ${plottedFields("newest")} as fields
    from wanted, lateral (
      select t.* from topics t where t.organization_id = ${org} and t.name = wanted.name order by t.recording_id desc limit 1
    ) newest
    order by wanted.name ${direction}`,
  );
  return rows.map((row) => ({
    ...row,
    fields: row.fields.map(({ path, kind, unit, min, max, p50, p99, last, values }) => ({
      path,
      kind,
      ...(unit !== undefined && { unit }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(p50 !== undefined && { p50 }),
      ...(p99 !== undefined && { p99 }),
      ...(last !== undefined && { last }),
      ...(values !== undefined && { values }),
    })),
  }));
}
