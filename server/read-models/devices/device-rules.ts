import { z } from "zod";
import { cellCeiling } from "@/domain/limits";
import { inScope, type Scope, scopeSchema } from "@/domain/rules/scope";
import { selectAllGroups } from "@/server/features/devices/group-queries";
import { getDevice } from "@/server/features/devices/service";
import { readConditionTexts } from "@/server/features/rules/condition-texts";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql } from "@/server/platform/db";
import { bool, int4, jsonb, jsonbObject, type Native, nullable, text, timestamptz } from "@/server/platform/rows";

const ruleRow = {
  uid: text,
  name: text,
  enabled: bool,
  builtin: bool,
  live: bool,
  demo: bool,
  condition: jsonb(z.unknown()),
  scope: nullable(jsonb(scopeSchema)),
};

export interface DeviceRule extends Omit<Native<typeof ruleRow>, "condition" | "scope" | "live"> {
  condition_text: string;
  /** How its scope includes the device: "All devices", "Names this device · tag hall-2". */
  why: string;
  open_alerts: number;
}

/** The rules that watch a device, and how the scope of each includes it. Throws `not_found`. */
export async function deviceRules(ctx: Ctx, uid: string): Promise<DeviceRule[]> {
  const device = await getDevice(ctx, uid);
  const rules = await query(
    ctx,
    ruleRow,
    Prisma.sql`select uid, name, enabled, builtin, live, demo, condition, scope from rules
      where organization_id = ${ctx.organizationId} order by enabled desc, uid desc limit 2000`,
  );
  const groups = await query(
    ctx,
    { uid: text, name: text },
    Prisma.sql`select uid, name from device_groups
      where organization_id = ${ctx.organizationId} and uid in (${selectAllGroups(Prisma.sql`${uid}`)})`,
  );
  const names = new Map(groups.map((group) => [group.uid, group.name]));
  const watching = rules.filter((rule) =>
    inScope(rule.scope, { uid, groupUids: [...names.keys()], tags: device.tags }),
  );
  const counts = await sql(
    { uid: text, count: int4 },
    Prisma.sql`
    select r.uid, c.count from unnest(${watching.map((rule) => rule.uid)}::text[]) as r(uid)
    cross join lateral (select count(*)::int as count from (select 1 from alerts a where a.rule_id = r.uid and a.device_id = ${uid}
      and a.organization_id = ${ctx.organizationId} and a.status = 'open' limit ${cellCeiling}) n) c`,
  );
  const open = new Map(counts.map((row) => [row.uid, row.count]));
  const describe = await readConditionTexts(
    ctx,
    watching.map(({ condition }) => condition),
  );
  return watching.map(({ condition, scope, live, ...rule }) => ({
    ...rule,
    condition_text: rule.builtin && !live ? "No heartbeat in time" : describe(condition),
    why: describeScopeMatch(scope, uid, names),
    open_alerts: open.get(rule.uid) ?? 0,
  }));
}

function describeScopeMatch(scope: Scope, uid: string, groups: ReadonlyMap<string, string>): string {
  const { device_ids: devices = [], group_ids: named = [], tags = [] } = scope ?? {};
  const groupNames = named.filter((id) => groups.has(id)).map((id) => groups.get(id));
  const parts = [
    devices.includes(uid) ? "names this device" : null,
    groupNames.length > 0 ? `${groupNames.length === 1 ? "group" : "groups"} ${groupNames.join(", ")}` : null,
    tags.length > 0 ? `${tags.length === 1 ? "tag" : "tags"} ${tags.join(", ")}` : null,
  ].filter((part) => part !== null);
  const text = parts.length === 0 ? "all devices" : parts.join(" · ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface MetadataChange {
  uid: string;
  at: string;
  by: string;
  changes: { key: string; before: unknown; after: unknown }[];
}

/** The last changes of a device's metadata, newest first, key by key, from the audit log. Throws `not_found`. */
export async function metadataChanges(ctx: Ctx, uid: string): Promise<MetadataChange[]> {
  await getDevice(ctx, uid);
  const rows = await sql(
    { uid: text, at: timestamptz, by: text, before: nullable(jsonbObject), after: nullable(jsonbObject) },
    Prisma.sql`
    select uid, created_at as at, actor_name as by, before->'metadata' as before, after->'metadata' as after from (
      select uid, created_at, actor_name, before, after, action from audit_entries
      where organization_id = ${ctx.organizationId} and target_id = ${uid} order by uid desc limit 500) entries
    where action = 'device.updated' and (jsonb_exists(after, 'metadata') or jsonb_exists(before, 'metadata')) order by uid desc limit 10`,
  );
  return rows.map(({ before, after, ...entry }) => {
    const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
    const changes = keys
      .map((key) => ({ key, before: before?.[key], after: after?.[key] }))
      .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
    return { ...entry, changes };
  });
}
