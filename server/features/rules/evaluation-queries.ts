import { z } from "zod";
import {
  type ActivityRequest,
  type EvaluationFilters,
  type NoiseFilters,
  type PageOnly,
  evaluationStatuses,
} from "@/domain/rules/schema";
import { isoFromNs, nsFromMs } from "@/domain/time/nanoseconds";
import { quietResult } from "@/server/features/rules/quiet-service";
import {
  type EvaluationResource,
  type HitResource,
  type NoiseResource,
  ActionResult,
} from "@/server/features/rules/resource";
import { readRule } from "@/server/features/rules/service";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
import {
  bool,
  float8,
  int4,
  int8,
  jsonb,
  jsonbObject,
  nullable,
  oneOf,
  text,
  timestamptz,
  type Wire,
} from "@/server/platform/rows";

const evaluationRow = {
  recording_id: text,
  recording_name: text,
  device_id: text,
  device_name: text,
  version: int4,
  status: oneOf(evaluationStatuses),
  reason: text,
  hit_count: int4,
  suppressed: int4,
  storm: bool,
  notes: jsonb(z.array(z.string())),
  duration_ms: int4,
  run_id: nullable(text),
  action_results: jsonb(z.array(ActionResult)),
  evaluated_at: timestamptz,
};

/** The evaluations of a rule, one per recording, latest first. Throws `not_found`. */
export async function listEvaluations(
  ctx: Ctx,
  uid: string,
  { limit, cursor, status }: EvaluationFilters,
): Promise<Page<EvaluationResource>> {
  await readRule(ctx, uid);
  const withStatus = status ? Prisma.sql`and e.status = any(${status})` : Prisma.empty;
  const found = quietResult(Prisma.sql`${uid}`);
  return keysetPage<EvaluationResource>(ctx, {
    name: "rule evaluations",
    filters: { uid, status },
    page: { limit, cursor },
    order: { columns: ["e.evaluated_at", "e.recording_id"], direction: "desc" },
    key: (evaluation) => [evaluation.evaluated_at, evaluation.recording_id],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        evaluationRow,
        Prisma.sql`
        select e.recording_id, r.name as recording_name, e.device_id, coalesce(d.name, r.device_name) as device_name, e.version,
          e.status, e.reason, e.hit_count, e.suppressed, e.storm, e.notes, e.duration_ms, e.run_id, e.action_results,
          e.evaluated_at
        from (
          (select recording_id, device_id, version, status, reason, hit_count, suppressed, storm, notes, duration_ms, run_id,
              action_results, evaluated_at
            from rule_evaluations e
            where e.rule_id = ${uid} and e.organization_id = ${ctx.organizationId} and ${where} ${withStatus}
            order by ${orderBy} limit ${rows})
          union all
          (select recording_id, device_id, version, status, reason, 0, 0, false, notes, duration_ms, null, '[]'::jsonb, evaluated_at
            from (select q.recording_id, q.organization_id, q.device_id, q.duration_ms, q.evaluated_at, q.rule_ids,
                (${found} ->> 'version')::int as version, coalesce(${found} ->> 'status', 'evaluated') as status,
                coalesce(${found} ->> 'reason', '') as reason, coalesce(${found} -> 'notes', '[]') as notes
              from quiet_evaluations q) e
            where e.rule_ids @> array[${uid}]::text[] and e.organization_id = ${ctx.organizationId} and ${where} ${withStatus}
            order by ${orderBy} limit ${rows})
        ) e join recordings r on r.uid = e.recording_id left join devices d on d.uid = e.device_id
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

const hitRow = {
  recording_id: text,
  device_id: text,
  device_name: text,
  position: int4,
  started_ns: text,
  triggered_ns: text,
  ended_ns: text,
  peak: nullable(float8),
  evidence: jsonbObject,
};

/** A rule's triggers by message time, latest first. Throws `not_found`. */
export async function listHits(ctx: Ctx, uid: string, { limit, cursor }: PageOnly): Promise<Page<HitResource>> {
  await readRule(ctx, uid);
  const page = await keysetPage<Wire<typeof hitRow>>(ctx, {
    name: "rule hits",
    filters: { uid },
    page: { limit, cursor },
    order: { columns: ["h.triggered_ns", "h.recording_id", "h.position"], direction: "desc" },
    key: (hit) => [hit.triggered_ns, hit.recording_id, hit.position],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        hitRow,
        Prisma.sql`
        select h.recording_id, h.device_id, coalesce(d.name, r.device_name) as device_name, h.position,
          h.started_ns::text as started_ns, h.triggered_ns::text as triggered_ns, h.ended_ns::text as ended_ns, h.peak,
          h.evidence
        from rule_hits h join recordings r on r.uid = h.recording_id left join devices d on d.uid = h.device_id
        where h.rule_id = ${uid} and h.organization_id = ${ctx.organizationId} and ${where}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return {
    ...page,
    results: page.results.map(({ position: _, started_ns, ended_ns, ...hit }) => ({
      ...hit,
      started_at: isoFromNs(BigInt(started_ns)),
      triggered_at: isoFromNs(BigInt(hit.triggered_ns)),
      ended_at: isoFromNs(BigInt(ended_ns)),
    })),
  };
}

const dayMs = 86_400_000;
const formatDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The last `days` dates (UTC) up to today, oldest first, and the instant at which the first of them starts. */
function calendar(days: number): { dates: string[]; from: number } {
  const today = Math.floor(databaseMs() / dayMs) * dayMs;
  const from = today - (days - 1) * dayMs;
  return { dates: Array.from({ length: days }, (_, index) => formatDate(from + index * dayMs)), from };
}

/** Triggers of each rule and day since `from` (milliseconds), by message time. */
async function dailyHits(ctx: Ctx, uids: readonly string[], from: number): Promise<Map<string, Map<string, number>>> {
  const rows = await sql(
    { rule_id: text, day: int8, hits: int4 },
    Prisma.sql`
    select h.rule_id, h.triggered_ns / 86400000000000 as day, count(*)::int as hits from rule_hits h
    where h.rule_id = any(${[...uids]}) and h.organization_id = ${ctx.organizationId}
      and h.triggered_ns >= ${nsFromMs(from)}
    group by 1, 2`,
  );
  const byRule = new Map<string, Map<string, number>>();
  for (const { rule_id, day, hits } of rows) {
    const days = byRule.get(rule_id) ?? new Map<string, number>();
    byRule.set(rule_id, days.set(formatDate(Number(day) * dayMs), hits));
  }
  return byRule;
}

/**
 * The noise of a rule over the last `days` (default 30): its triggers by message time, and the share of its resolved
 * alerts that were false alarms. Throws `not_found`.
 */
export async function ruleNoise(ctx: Ctx, uid: string, { days = 30 }: NoiseFilters): Promise<NoiseResource> {
  await readRule(ctx, uid);
  const { dates, from } = calendar(days);
  const [byRule, [alerts]] = await Promise.all([
    dailyHits(ctx, [uid], from),
    sql(
      { alerts: int4, resolved: int4, false_alarms: int4 },
      Prisma.sql`
      select count(*)::int as alerts, count(*) filter (where status = 'resolved')::int as resolved,
        count(*) filter (where status = 'resolved' and resolution_reason = 'false_alarm')::int as false_alarms
      from alerts where rule_id = ${uid} and organization_id = ${ctx.organizationId} and created_at >= ${new Date(from)}`,
    ),
  ]);
  const hits = byRule.get(uid);
  const daily = dates.map((date) => ({ date, hits: hits?.get(date) ?? 0 }));
  const total = daily.reduce((sum, day) => sum + day.hits, 0);
  const { alerts: alert_count = 0, resolved = 0, false_alarms = 0 } = alerts ?? {};
  return {
    days,
    hit_count: total,
    hits_per_day: Math.round((total / days) * 100) / 100,
    alert_count,
    resolved_count: resolved,
    false_alarm_count: false_alarms,
    false_alarm_share: resolved === 0 ? null : Math.round((false_alarms / resolved) * 1000) / 1000,
    daily,
  };
}

/** Triggers by day of many rules, oldest day first, for sparklines. Unknown rules are omitted. */
export async function ruleActivity(ctx: Ctx, { uids, days }: ActivityRequest): Promise<Record<string, number[]>> {
  const { dates, from } = calendar(days);
  const byRule = await dailyHits(ctx, uids, from);
  return Object.fromEntries([...byRule].map(([uid, hits]) => [uid, dates.map((date) => hits.get(date) ?? 0)]));
}
