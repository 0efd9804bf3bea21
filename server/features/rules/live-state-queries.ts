import { z } from "zod";
import { scopeSchema } from "@/domain/rules/scope";
import { scopeFilter } from "@/server/features/rules/scope-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { int4, json, jsonb, nullable, timestamptz } from "@/server/platform/rows";

/** Devices in the condition that are named; the others are counted. */
const maxNamed = 20;

/** How a rule about heartbeats stands now. */
export interface LiveState {
  devices_watched: number;
  /** Devices that meet the condition as far as their heartbeats were evaluated. */
  devices_met: number;
  /** The first of them by name. */
  met: { uid: string; name: string }[];
  /** When the newest heartbeat that was evaluated came; null before the first one. */
  evaluated_at: string | null;
}

/** The state of a rule about heartbeats, of its current version. Throws `not_found`, also for one about recordings. */
export async function readLiveState(ctx: Ctx, uid: string): Promise<LiveState> {
  const { organizationId } = ctx;
  const [rule] = await query(
    ctx,
    { scope: nullable(jsonb(scopeSchema)) },
    Prisma.sql`select scope from rules where uid = ${uid} and organization_id = ${organizationId} and live`,
  );
  if (!rule) throw notFound();
  const inScope = Prisma.sql`d.organization_id = ${organizationId} ${scopeFilter(ctx, rule.scope, "d.uid")}`;
  const [row] = await query(
    ctx,
    {
      devices_watched: int4,
      devices_met: int4,
      met: json(z.array(z.object({ uid: z.string(), name: z.string() }))),
      evaluated_at: nullable(timestamptz),
    },
    Prisma.sql`with states as materialized (
        select d.uid, d.name, s.evaluated_at, jsonb_typeof(s.state -> 'open') = 'object' as met
        from live_rule_states s join devices d on d.uid = s.device_id
          join rules r on r.uid = s.rule_id and r.version = s.version and r.live_since = s.since and r.enabled
        where s.rule_id = ${uid} and ${inScope}
      )
      select (select count(*)::int from devices d where ${inScope}) as devices_watched,
        (select count(*)::int from states where met) as devices_met,
        coalesce((select json_agg(json_build_object('uid', m.uid, 'name', m.name)) from (
          select uid, name from states where met order by name, uid limit ${maxNamed}::int) m), '[]'::json) as met,
        (select max(evaluated_at) from states) as evaluated_at`,
  );
  if (!row) throw notFound();
  return { ...row, evaluated_at: row.evaluated_at?.toISOString() ?? null };
}
