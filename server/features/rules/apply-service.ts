import type { RuleResult } from "@/engine/rules/evaluate";
import { withdrawAlert } from "@/server/features/alerts/raise-service";
import { replaceDerivedEvents } from "@/server/features/events/derived-service";
import {
  executeActions,
  createsEvents,
  opensAlert,
  writeTargetTags,
  type Applied,
  type Target,
} from "@/server/features/rules/action-service";
import { isQuiet, quietResult, replaceQuiet } from "@/server/features/rules/quiet-service";
import type { ActionResult } from "@/server/features/rules/resource";
import type { ActiveRule } from "@/server/features/rules/scope-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { announceSoon } from "@/server/platform/realtime/changes";
import { bool, int4, int8, type Native, nullable, text } from "@/server/platform/rows";
import { storedJson } from "@/server/platform/stored-text";

export type { Applied, Target } from "@/server/features/rules/action-service";

/** A rule with its result; `durationMs` is the duration of the whole evaluation, which may cover several rules. */
export interface Evaluated {
  rule: ActiveRule;
  result: RuleResult;
  durationMs: number;
}

const earlierRow = {
  rule_id: text,
  version: nullable(int4),
  hit_count: int4,
  last_trigger_ns: nullable(int8),
  events: bool,
  alert: bool,
};
type Earlier = Native<typeof earlierRow>;

/** What earlier evaluations left behind, for rules that still exist; those rules are locked against deletion. */
async function listEarlier(tx: Ctx, target: Target, uids: readonly string[]): Promise<Map<string, Earlier>> {
  const rows = await query(
    tx,
    earlierRow,
    Prisma.sql`select r.uid as rule_id, coalesce(e.version, (${quietResult(Prisma.sql`r.uid`)} ->> 'version')::int) as version,
        coalesce(e.hit_count, 0) as hit_count, e.last_trigger_ns,
        exists (select 1 from events v where v.rule_id = r.uid and v.recording_id = ${target.recordingId}) as events,
        exists (select 1 from alerts a where a.recording_id = ${target.recordingId} and a.rule_id = r.uid) as alert
      from rules r left join rule_evaluations e on e.rule_id = r.uid and e.recording_id = ${target.recordingId}
        left join quiet_evaluations q on q.recording_id = ${target.recordingId} and q.organization_id = r.organization_id
      where r.uid = any(${[...uids]}) and r.organization_id = ${tx.organizationId}
      order by r.uid for key share of r`,
  );
  return new Map(rows.map((row) => [row.rule_id, row]));
}

/**
 * Replaces a recording's derived rows (events, tags, alerts, evaluations, hits) and adjusts the count of each rule, in
 * the transaction of `tx`, which holds the recording's row. Idempotent: notifies only once. Skips rules that were
 * evaluated there in a newer version. Returns the number of hits.
 */
export async function applyEvaluations(
  tx: Ctx,
  target: Target,
  evaluated: readonly Evaluated[],
  applied: Applied,
): Promise<number> {
  const earlier = await listEarlier(
    tx,
    target,
    evaluated.map(({ rule }) => rule.uid),
  );
  const current = evaluated.filter(({ rule }) => {
    const before = earlier.get(rule.uid);
    return before !== undefined && (before.version ?? 0) <= rule.version;
  });
  if (current.length === 0) return 0;
  const tagsBefore = target.tags.length;
  const actionResults = new Map<string, ActionResult[]>();
  for (const { rule, result } of current) {
    await undoRemovedMatches(tx, target, rule, result, earlier.get(rule.uid)!);
    actionResults.set(rule.uid, await executeActions(tx, target, rule, result, applied));
  }
  if (target.tags.length > tagsBefore) await writeTargetTags(tx, target);
  await replaceEvaluations(tx, target, current, actionResults, applied.runId);
  await replaceHits(tx, target, current);
  await adjustCounts(tx, current, earlier);
  if (current.some(({ rule, result }) => createsEvents(rule) && result.hits.length > 0)) {
    announceSoon(tx, "event", target.recordingId, "created");
  }
  return current.reduce((sum, { result }) => sum + result.hits.length, 0);
}

/**
 * Removes events and withdraws the alert that the newest evaluation, or the newest version's actions, no longer
 * produce.
 */
async function undoRemovedMatches(
  tx: Ctx,
  target: Target,
  rule: ActiveRule,
  result: RuleResult,
  before: Earlier,
): Promise<void> {
  const { recordingId, device } = target;
  const found = result.hits.length > 0;
  if (before.events && !(found && createsEvents(rule))) {
    await replaceDerivedEvents(tx, { ruleId: rule.uid, recordingId, deviceId: device.uid }, []);
    announceSoon(tx, "event", recordingId, "deleted");
  }
  if (before.alert && !(found && opensAlert(rule))) {
    await withdrawAlert(tx, { ruleId: rule.uid, deviceId: device.uid, recordingId });
  }
}

const lastTrigger = ({ hits }: RuleResult): bigint | null =>
  hits.reduce<bigint | null>(
    (last, { triggeredAt }) => (last === null || triggeredAt > last ? triggeredAt : last),
    null,
  );

async function replaceEvaluations(
  tx: Ctx,
  target: Target,
  evaluated: readonly Evaluated[],
  actionResults: ReadonlyMap<string, ActionResult[]>,
  runId: string | null,
): Promise<void> {
  const uids = evaluated.map(({ rule }) => rule.uid);
  await execute(
    tx,
    Prisma.sql`delete from rule_evaluations where recording_id = ${target.recordingId} and rule_id = any(${uids})`,
  );
  const quiet = new Set(
    evaluated.filter((each) => isQuiet(each, actionResults.get(each.rule.uid)?.length ?? 0, runId)),
  );
  await replaceQuiet(tx, target, uids, [...quiet]);
  const loud = evaluated.filter((each) => !quiet.has(each));
  if (loud.length === 0) return;
  const rows = loud.map(({ rule, result, durationMs }) => ({
    rule_id: rule.uid,
    version: rule.version,
    status: result.status,
    reason: result.reason ?? "",
    hit_count: result.hits.length,
    suppressed: result.suppressed,
    storm: result.storm,
    notes: result.notes,
    last_trigger_ns: lastTrigger(result)?.toString() ?? null,
    duration_ms: Math.round(durationMs),
    action_results: actionResults.get(rule.uid) ?? [],
  }));
  await execute(
    tx,
    Prisma.sql`insert into rule_evaluations (rule_id, recording_id, organization_id, device_id, version, status, reason, hit_count,
        suppressed, storm, notes, last_trigger_ns, duration_ms, run_id, action_results, evaluated_at)
      select r.rule_id, ${target.recordingId}, ${tx.organizationId}, ${target.device.uid}, r.version, r.status, r.reason, r.hit_count,
        r.suppressed, r.storm, r.notes, r.last_trigger_ns, r.duration_ms, ${runId}, r.action_results, now()
      from jsonb_to_recordset(${storedJson(rows)}::jsonb) as r(rule_id text, version int, status text, reason text, hit_count int,
        suppressed int, storm boolean, notes jsonb, last_trigger_ns bigint, duration_ms int, action_results jsonb)`,
  );
}

const hitsPerStatement = 1_000;

async function replaceHits(tx: Ctx, target: Target, evaluated: readonly Evaluated[]): Promise<void> {
  const rows = evaluated.flatMap(({ rule, result }) =>
    result.hits.map((hit, position) => ({
      rule_id: rule.uid,
      position,
      started_ns: String(hit.startedAt),
      triggered_ns: String(hit.triggeredAt),
      ended_ns: String(hit.endedAt),
      peak: hit.peak,
      evidence: { ...hit.evidence, value: hit.value },
    })),
  );
  for (let from = 0; from < rows.length; from += hitsPerStatement) {
    const part = storedJson(rows.slice(from, from + hitsPerStatement));
    await execute(
      tx,
      Prisma.sql`insert into rule_hits (rule_id, recording_id, position, organization_id, device_id, started_ns, triggered_ns, ended_ns,
          peak, evidence)
        select r.rule_id, ${target.recordingId}, r.position, ${tx.organizationId}, ${target.device.uid}, r.started_ns, r.triggered_ns,
          r.ended_ns, r.peak, r.evidence
        from jsonb_to_recordset(${part}::jsonb) as r(rule_id text, position int, started_ns bigint, triggered_ns bigint, ended_ns bigint,
          peak float8, evidence jsonb)`,
    );
  }
}

/**
 * Adds the difference to each rule's count and moves its last hit; only a rule that lost its latest hit is searched for
 * another.
 */
async function adjustCounts(
  tx: Ctx,
  evaluated: readonly Evaluated[],
  earlier: ReadonlyMap<string, Earlier>,
): Promise<void> {
  const changes = evaluated.flatMap(({ rule, result }) => {
    const before = earlier.get(rule.uid);
    const [was, is] = [before?.last_trigger_ns ?? null, lastTrigger(result)];
    const delta = result.hits.length - (before?.hit_count ?? 0);
    if (delta === 0 && was === is) return [];
    return [
      {
        uid: rule.uid,
        delta,
        last: is?.toString() ?? null,
        lost: was !== null && (is === null || is < was) ? String(was) : null,
      },
    ];
  });
  if (changes.length === 0) return;
  const uids = changes.map(({ uid }) => uid);
  // Rows are locked in one order, so that two recordings of the same rules cannot deadlock.
  await execute(tx, Prisma.sql`select 1 from rules where uid = any(${uids}) order by uid for no key update`);
  await execute(
    tx,
    Prisma.sql`update rules r set hit_count = greatest(0, r.hit_count + c.delta), last_hit_ns = case
        when c.lost is not null and c.lost >= r.last_hit_ns
          then (select max(e.last_trigger_ns) from rule_evaluations e where e.rule_id = r.uid)
        else greatest(r.last_hit_ns, c.last) end
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c(uid text, delta int, last bigint, lost bigint)
      where r.uid = c.uid`,
  );
  for (const uid of uids) announceSoon(tx, "rule", uid, "updated");
}
