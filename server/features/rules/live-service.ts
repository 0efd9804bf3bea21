import { addMeanings, describeCondition, describeHit } from "@/domain/conditions/describe";
import { listMetrics } from "@/domain/conditions/heartbeat";
import { dateFromNs, nsFromMs, nsPerMs } from "@/domain/time/nanoseconds";
import { createRuleStream, type SavedStream, type StreamEvent, type StreamStep } from "@/engine/rules/rule-stream";
import { raiseAlert, resolveLive } from "@/server/features/alerts/raise-service";
import { meaningsFor, readMeanings } from "@/server/features/health/meaning-service";
import { alertSeverity, buildEvidence, listChannels, opensAlert } from "@/server/features/rules/action-service";
import { listPointsAfter, pointsPerDevice, readValues } from "@/server/features/rules/live-points-queries";
import { activeRuleRow, scopeFilter } from "@/server/features/rules/scope-queries";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { announce } from "@/server/platform/realtime/changes";
import { bool, int4, jsonbObject, type Native, notNull, nullable, text, timestamptz } from "@/server/platform/rows";
import { storedJson, storedText } from "@/server/platform/stored-text";
import { findOutage } from "@/server/platform/unavailable";

type StreamBegin = Extract<StreamEvent, { kind: "begin" }>;

/** Devices of one transaction. */
const batch = 200;

/** How long a heartbeat may take to arrive before silence is decided without it. */
const delayMs = 2_000;

const liveRuleRow = { ...activeRuleRow, live_since: notNull(timestamptz) };
type LiveRule = Native<typeof liveRuleRow>;

/** Whether there is any to evaluate, as an expression. */
export const anyLiveRule = Prisma.sql`exists (select from rules where live and enabled)`;

/**
 * Evaluates the rules about heartbeats on what arrived since they were evaluated last. `silence`: whether the absence of
 * heartbeats counts, which it does not while the platform itself was away. Returns how often rules triggered. Throws why
 * rules failed once the others are evaluated.
 */
export async function evaluateLiveRules({ silence }: { silence: boolean }, now = databaseNow()): Promise<number> {
  const rules = await query(
    { db: prisma },
    { uid: text, organization_id: text },
    Prisma.sql`select uid, organization_id from rules where live and enabled order by organization_id, uid`,
  );
  let triggered = 0;
  const decided = silence ? new Date(now.getTime() - delayMs) : null;
  const failures: unknown[] = [];
  for (const { uid, organization_id: organizationId } of rules) {
    try {
      for (let more = true; more;) {
        const done = await transaction(systemContext(prisma, organizationId), (tx) => evaluateBatch(tx, uid, decided));
        triggered += done.triggered;
        more = done.devices === batch;
      }
    } catch (error) {
      if (findOutage(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} rules could not be evaluated`);
  if (failures.length === 1) throw failures[0];
  return triggered;
}

/** Points are read after a time, and one of the millisecond in which the rule began counts. */
const beforeSince = (rule: LiveRule): Date => new Date(rule.live_since.getTime() - 1);

const watchedRow = {
  uid: text,
  name: text,
  type: text,
  number: int4,
  demo: bool,
  last_seen_at: nullable(timestamptz),
  evaluated_at: notNull(timestamptz),
  alerting: notNull(bool),
  state: nullable(jsonbObject),
};

/**
 * A device that a rule watches, with its state: its points were read up to `evaluated_at`; `alerting`: an alert was raised of
 * which it has not recovered.
 */
type Watched = Native<typeof watchedRow>;

async function evaluateBatch(
  tx: Ctx,
  ruleUid: string,
  decided: Date | null,
): Promise<{ devices: number; triggered: number }> {
  const [rule] = await query(
    tx,
    liveRuleRow,
    // One that another worker evaluates, or somebody changes, is left for the next time.
    Prisma.sql`select uid, name, version, condition, actions, scope, demo, live_since from rules
      where uid = ${ruleUid} and organization_id = ${tx.organizationId} and live and enabled for no key update skip locked`,
  );
  if (!rule) return { devices: 0, triggered: 0 };
  // Devices that were seen since, or of which silence says something; a state of another version begins anew.
  const devices = await query(
    tx,
    watchedRow,
    Prisma.sql`select d.uid, d.name, d.type, d.number, d.demo, d.last_seen_at, coalesce(s.current and s.alerting, false) as alerting,
        case when s.current then s.evaluated_at else ${beforeSince(rule)}::timestamptz end as evaluated_at,
        case when s.current then s.state end as state
      from devices d left join lateral (
        select *, version = ${rule.version}::int and since = ${rule.live_since}::timestamptz as current
        from live_rule_states s where s.rule_id = ${rule.uid} and s.device_id = d.uid) s on true
      where d.organization_id = ${tx.organizationId} ${scopeFilter(tx, rule.scope, "d.uid")}
        and (s.current is not true or d.last_seen_at > s.evaluated_at or s.next_at <= ${decided}::timestamptz)
      order by d.uid limit ${batch}::int`,
  );
  if (devices.length === 0) return { devices: 0, triggered: 0 };
  const metrics = listMetrics(rule.condition);
  const points = await listPointsAfter(
    tx,
    devices.map(({ number: device, evaluated_at: after }) => ({ device, after })),
    metrics,
  );
  const stream = createRuleStream(rule);
  const since = nsFromMs(rule.live_since);
  const states: StateRow[] = [];
  const begun: bigint[] = [];
  for (const device of devices) {
    const own = points.get(device.number) ?? [];
    const isAll = own.length < pointsPerDevice;
    stream.load(device.state, since);
    let nextAt: bigint | null = null;
    const apply = async (step: StreamStep) => {
      ({ nextAt } = step);
      begun.push(...(await applyStep(tx, rule, device, step)));
    };
    for (const point of own) {
      const step = stream.sample(nsFromMs(point.at), readValues(point));
      if (step) await apply(step);
    }
    // Of silence nothing is known behind points that are still to be read.
    await apply(stream.advance(decided && isAll ? nsFromMs(decided) : stream.evaluatedAt));
    const read = [device.evaluated_at, own.at(-1)?.at, isAll ? device.last_seen_at : null];
    states.push({
      device_id: device.uid,
      evaluated_at: new Date(Math.max(...read.map((at) => at?.getTime() ?? 0))),
      next_at: nextAt === null ? null : dateFromNs(nextAt + nsPerMs - 1n),
      alerting: device.alerting,
      state: stream.save(),
    });
  }
  await writeStates(tx, rule, states);
  await countTriggers(tx, rule, begun);
  return { devices: devices.length, triggered: begun.length };
}

/** Raises and resolves alerts of a device. Resolves to when the rule triggered. */
async function applyStep(tx: Ctx, rule: LiveRule, device: Watched, { events, known }: StreamStep): Promise<bigint[]> {
  const begun: bigint[] = [];
  for (const event of events) {
    if (event.kind === "end") {
      if (event.by === "recovery") await recover(tx, rule, device);
      continue;
    }
    begun.push(event.triggeredAt);
    if (!opensAlert(rule)) continue;
    await raise(tx, rule, device, event);
    device.alerting = true;
  }
  if (known === "false") await recover(tx, rule, device);
  return begun;
}

async function recover(tx: Ctx, rule: LiveRule, device: Watched): Promise<void> {
  if (device.alerting) await resolveLive(tx, rule.uid, device.uid);
  device.alerting = false;
}

async function raise(tx: Ctx, rule: LiveRule, device: Watched, begin: StreamBegin): Promise<void> {
  const meanings = await readMeanings(tx, listMetrics(rule.condition));
  const read = meaningsFor(meanings, device.type);
  const leaves = addMeanings(rule, begin.evidence.leaves, read);
  await raiseAlert(tx, {
    rule: { uid: rule.uid, name: rule.name, version: rule.version },
    device: { uid: device.uid, name: device.name },
    recordingId: null,
    severity: alertSeverity(rule.actions),
    message: storedText(describeHit(rule, { evidence: { leaves } }) || describeCondition(rule.condition, read)),
    triggeredNs: begin.triggeredAt,
    evidence: buildEvidence(rule, { ...begin, endedAt: null }, leaves, {
      recordingId: null,
      link: `/devices/${device.uid}`,
    }),
    occurrenceCount: 1,
    channelIds: listChannels(rule),
    notify: true,
    demo: device.demo,
  });
}

interface StateRow {
  device_id: string;
  evaluated_at: Date;
  next_at: Date | null;
  alerting: boolean;
  state: SavedStream;
}

async function writeStates(tx: Ctx, rule: LiveRule, states: readonly StateRow[]): Promise<void> {
  await execute(
    tx,
    Prisma.sql`insert into live_rule_states as l (rule_id, device_id, version, since, evaluated_at, next_at, alerting, state)
      select ${rule.uid}, s.device_id, ${rule.version}::int, ${rule.live_since}::timestamptz, s.evaluated_at, s.next_at, s.alerting,
        s.state
      from json_to_recordset(${storedJson(states)}::json) as s(device_id text, evaluated_at timestamptz, next_at timestamptz,
        alerting boolean, state jsonb)
      -- One that was deleted meanwhile.
      where exists (select from devices d where d.uid = s.device_id and d.organization_id = ${tx.organizationId})
      on conflict (rule_id, device_id) do update set version = excluded.version, since = excluded.since,
        evaluated_at = excluded.evaluated_at, next_at = excluded.next_at, alerting = excluded.alerting, state = excluded.state`,
  );
}

/** Counts the triggers of a rule, whose row the transaction has locked. */
async function countTriggers(tx: Ctx, rule: LiveRule, begun: readonly bigint[]): Promise<void> {
  if (begun.length === 0) return;
  const latest = begun.reduce((a, b) => (a > b ? a : b));
  await execute(
    tx,
    Prisma.sql`update rules set hit_count = hit_count + ${begun.length}::int,
      last_hit_ns = greatest(last_hit_ns, ${latest}::bigint) where uid = ${rule.uid} and organization_id = ${tx.organizationId}`,
  );
  await announce(tx, "rule", rule.uid, "updated");
}
