import { z } from "zod";
import { heartbeatTopic } from "@/domain/conditions/heartbeat";
import { heartbeatTiming } from "@/domain/devices/connectivity";
import type { Scope } from "@/domain/rules/scope";
import type { TopicResource } from "@/server/features/rules/resource";
import { scopeFilter } from "@/server/features/rules/scope-queries";
import { maxDevices } from "@/server/features/rules/warnings-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, json } from "@/server/platform/rows";

const topicRow = {
  device_count: int4,
  devices_total: int4,
  fields: json(z.array(z.object({ path: z.string(), kind: z.enum(["number", "string", "boolean"]) }))),
};

/** The heartbeats of devices in scope as a topic, for pickers: its fields are the metrics that they have sent. */
export async function getHeartbeatTopic(ctx: Ctx, scope: Scope): Promise<TopicResource> {
  const [row] = await sql(
    topicRow,
    Prisma.sql`
    with scoped as materialized (
      select d.uid, d.metric_list, d.metrics from devices d
      where d.organization_id = ${ctx.organizationId} ${scopeFilter(ctx, scope, "d.uid")}
      order by d.uid desc limit ${maxDevices}::int
    ), sent as (
      -- By its key, or by the keys between its dots.
      select n.name, jsonb_typeof(coalesce(s.metrics -> n.name, s.metrics #> string_to_array(n.name, '.'))) as kind
      from scoped s join metric_lists l on l.id = s.metric_list join metric_names n on n.id = any(l.names)
    )
    select (select count(*)::int from scoped) as devices_total,
      (select count(*)::int from scoped where metric_list is not null) as device_count,
      coalesce((select json_agg(json_build_object('path', f.name, 'kind', f.kind) order by f.name) from (
        select name, coalesce(min(kind) filter (where kind in ('number', 'string', 'boolean')), 'number') as kind
        from sent group by name) f), '[]'::json) as fields`,
  );
  return {
    name: heartbeatTopic,
    schema: "Heartbeat",
    encoding: "json",
    frequency_hz: 1 / heartbeatTiming.intervalSeconds,
    device_count: row?.device_count ?? 0,
    devices_total: row?.devices_total ?? 0,
    recording_id: "",
    fields: row?.fields ?? [],
  };
}
