import { z } from "zod";
import type { GroupScreenFilters, GroupTargets } from "@/domain/devices/group-screen-schema";
import { maxGroupDepth } from "@/domain/devices/schema";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { isInGroups } from "@/server/features/devices/group-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { bool, int4, jsonb, nullable, text, timestamptz, type Wire } from "@/server/platform/rows";

const groupRow = {
  uid: text,
  name: text,
  description: text,
  parent_id: nullable(text),
  /** The groups around it, the outermost first. */
  path: jsonb(z.array(z.object({ uid: z.string(), name: z.string() }))),
  /** Devices in itself; in it and the groups inside it; and how these are. */
  own_devices: int4,
  devices: int4,
  online: int4,
  offline: int4,
  maintenance: int4,
  /** Groups directly in it. */
  groups: int4,
  /** Rules whose scope names it. */
  rules: int4,
  demo: bool,
  created_at: timestamptz,
  updated_at: timestamptz,
};
export type GroupOverview = Wire<typeof groupRow>;

const columns = (
  ctx: Ctx,
): Prisma.Sql => Prisma.sql`g.uid, g.name, g.description, g.parent_id, g.demo, g.created_at, g.updated_at,
  (select coalesce(jsonb_agg(jsonb_build_object('uid', a.uid, 'name', a.name) order by o.at), '[]')
    from unnest(g.ancestors) with ordinality as o(uid, at) join device_groups a on a.uid = o.uid) as path,
  (select count(*)::int from device_group_members m where m.group_id = g.uid) as own_devices,
  d.devices, d.online, d.offline, d.maintenance,
  (select count(*)::int from device_groups c where c.organization_id = ${ctx.organizationId} and c.parent_id = g.uid) as groups,
  (select count(*)::int from rules r
    where r.organization_id = ${ctx.organizationId} and jsonb_exists(r.scope->'group_ids', g.uid)) as rules`;

const devicesInside = (ctx: Ctx): Prisma.Sql => Prisma.sql`cross join lateral (
  select count(*)::int as devices, count(*) filter (where v.status = 'online')::int as online,
    count(*) filter (where v.status = 'offline')::int as offline,
    count(*) filter (where v.status = 'maintenance')::int as maintenance
  from devices v where v.uid in (
    select m.device_id from device_groups i join device_group_members m on m.group_id = i.uid
    where i.organization_id = ${ctx.organizationId} and (i.uid = g.uid or g.uid = any(i.ancestors)))) d`;

/** The groups of one level by name, or with a search those of all levels. An unknown parent has none. */
export async function listGroupOverviews(
  ctx: Ctx,
  { limit, cursor, ordering, ...filters }: GroupScreenFilters,
): Promise<Page<GroupOverview>> {
  const search = filters.search?.trim() ?? "";
  const level =
    filters.parent === undefined ? Prisma.sql`g.parent_id is null` : Prisma.sql`g.parent_id = ${filters.parent}`;
  const inside = filters.parent === undefined ? Prisma.sql`true` : Prisma.sql`${filters.parent} = any(g.ancestors)`;
  const named = Prisma.sql`${inside} and (g.name ilike ${`%${likeText(search)}%`} or g.uid = ${search})`;
  return keysetPage<GroupOverview>(ctx, {
    name: "group-overviews",
    filters,
    page: { limit, cursor },
    ...toOrder<GroupOverview>(ordering ?? "name", "g.uid", { name: { column: "g.name", key: (row) => row.name } }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        groupRow,
        Prisma.sql`select ${columns(ctx)} from (
            select * from device_groups g where g.organization_id = ${ctx.organizationId}
              and ${search === "" ? level : named} ${demoFilter("g", filters.demo)} and ${where} order by ${orderBy} limit ${rows}) g
          ${devicesInside(ctx)} order by ${orderBy}`,
      ),
  });
}

/** One group with its counts and the groups around it. Throws `not_found`. */
export async function getGroupOverview(ctx: Ctx, uid: string): Promise<GroupOverview> {
  const [group] = await sql(
    groupRow,
    Prisma.sql`select ${columns(ctx)} from device_groups g ${devicesInside(ctx)}
      where g.uid = ${uid} and g.organization_id = ${ctx.organizationId}`,
  );
  if (!group) throw notFound();
  return group;
}

const targetRow = { uid: text, name: text, path: text };

/** Up to 50 groups by name that another one can be put into: neither itself nor one inside it, nor the deepest. */
export const groupTargets = (ctx: Ctx, { search = "", moving = "" }: GroupTargets): Promise<Wire<typeof targetRow>[]> =>
  sql(
    targetRow,
    Prisma.sql`select g.uid, g.name, (select coalesce(string_agg(a.name, ' / ' order by o.at), '')
        from unnest(g.ancestors) with ordinality as o(uid, at) join device_groups a on a.uid = o.uid) as path
      from device_groups g where g.organization_id = ${ctx.organizationId} and g.uid <> ${moving}
        and not ${moving} = any(g.ancestors) and cardinality(g.ancestors) < ${maxGroupDepth - 1}
        and g.name ilike ${`%${likeText(search.trim())}%`} order by g.name, g.uid limit 50`,
  );

const ruleRow = { uid: text, name: text, enabled: bool, through: nullable(text) };
const silenceRow = { uid: text, reason: text, devices: int4, active: bool, ends_at: timestamptz };

export interface GroupUses {
  /** Rules whose scope names the group, or one around it, which is `through`. */
  rules: Wire<typeof ruleRow>[];
  /** Silences, now or planned, that name a device in it, and how many of them. */
  silences: Wire<typeof silenceRow>[];
}

/** What depends on the devices of a group, at most 200 of each. Throws `not_found`. */
export async function groupUses(ctx: Ctx, uid: string): Promise<GroupUses> {
  const group = await getGroupOverview(ctx, uid);
  const org = ctx.organizationId;
  const around = group.path.map((each) => each.uid);
  const [rules, silences] = await Promise.all([
    sql(
      ruleRow,
      Prisma.sql`select r.uid, r.name, r.enabled, case when jsonb_exists(r.scope->'group_ids', ${uid}) then null else (
          select g.name from device_groups g where g.uid = any(${around}) and jsonb_exists(r.scope->'group_ids', g.uid)
          order by cardinality(g.ancestors) desc limit 1) end as through
        from rules r where r.organization_id = ${org} and jsonb_exists_any(r.scope->'group_ids', ${[uid, ...around]}::text[])
        order by r.enabled desc, r.name, r.uid limit 200`,
    ),
    sql(
      silenceRow,
      Prisma.sql`select s.uid, s.reason, n.devices, s.starts_at <= now() as active, s.ends_at from silences s
        cross join lateral (select count(*)::int as devices from jsonb_array_elements_text(coalesce(s.matchers->'device_ids', '[]')) as named(uid)
          where ${isInGroups(Prisma.sql`named.uid`, [uid])}) n
        where s.organization_id = ${org} and s.ends_at > now() and n.devices > 0 order by s.ends_at, s.uid limit 200`,
    ),
  ]);
  return { rules, silences };
}
