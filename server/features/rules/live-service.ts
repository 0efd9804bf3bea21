import { addMeanings, describeCondition, describeHit } from "@/domain/conditions/describe";
import { listMetrics } from "@/domain/conditions/heartbeat";
import { dateFromNs, nsFromMs, nsPerMs } from "@/domain/time/nanoseconds";
import {
  createRuleStream,
  readEvaluatedAt,
  type SavedStream,
  type StreamEvent,
  type StreamStep,
} from "@/engine/rules/rule-stream";
import { hasLive, raiseAlert, resolveLive } from "@/server/features/alerts/raise-service";
import { meaningsFor, readMeanings } from "@/server/features/health/meaning-service";
import { alertSeverity, buildEvidence, listChannels, opensAlert } from "@/server/features/rules/action-service";
import { findBegin, findLook, rememberLook } from "@/server/features/rules/live-begin";
import {
  listPointsAfter,
  type PointsAfter,
  pointsPerDevice,
  readValues,
} from "@/server/features/rules/live-points-queries";
import { activeRuleRow, isEverything, scopeFilter } from "@/server/features/rules/scope-queries";
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
    { uid: text, organization_id: text, scoped: notNull(bool) },
    Prisma.sql`select uid, organization_id, scope is not null as scoped from rules where live and enabled
      order by organization_id, uid`,
  );
  let triggered = 0;
  const clock: Clock = { now, decided: silence ? new Date(now.getTime() - delayMs) : null };
  const failures: unknown[] = [];
  for (const { uid, organization_id: organizationId, scoped } of rules) {
    try {
      if (scoped) await transaction(systemContext(prisma, organizationId), (tx) => dropStates(tx, uid));
      triggered += await evaluateRule(organizationId, uid, clock);
    } catch (error) {
      if (findOutage(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} rules could not be evaluated`);
  if (failures.length === 1) throw failures[0];
  return triggered;
}

interface Clock {
  now: Date;
  /** Up to when silence is decided; null while the platform itself was away. */
  decided: Date | null;
}

/** Evaluates a rule, a batch of devices after another. Resolves to how often it triggered. */
async function evaluateRule(organizationId: string, uid: string, clock: Clock): Promise<number> {
  const ctx = systemContext(prisma, organizationId);
  for (let triggered = 0; ;) {
    const done = await transaction(ctx, (tx) => evaluateBatch(tx, uid, clock));
    if (!done) return triggered;
    triggered += done.triggered;
    if (done.devices === batch) continue;
    rememberLook(uid, { version: done.rule.version, since: done.rule.live_since, at: clock.now });
    return triggered;
  }
}

/** Drops the states of devices that have left the scope of a rule: it watches them anew when they come back. */
async function dropStates(tx: Ctx, ruleUid: string): Promise<void> {
  const [rule] = await query(
    tx,
    { scope: activeRuleRow.scope },
    Prisma.sql`select scope from rules where uid = ${ruleUid} and organization_id = ${tx.organizationId}`,
  );
  if (!rule || isEverything(rule.scope)) return;
  await execute(
    tx,
    Prisma.sql`delete from live_rule_states s where s.rule_id = ${ruleUid} and not exists (select from devices d
      where d.uid = s.device_id and d.organization_id = ${tx.organizationId} ${scopeFilter(tx, rule.scope, "d.uid")})`,
  );
}

const watchedRow = {
  uid: text,
  name: text,
  type: text,
  number: int4,
  demo: bool,
  created_at: notNull(timestamptz),
  last_seen_at: nullable(timestamptz),
  evaluated_at: nullable(timestamptz),
  alerting: notNull(bool),
  state: nullable(jsonbObject),
};

/**
 * A device that a rule watches, with its state; `evaluated_at`: when it was last there for its points to be read, null
 * without a state; `alerting`: an alert was raised of which it has not recovered, also before it left the scope and came
 * back.
 */
type Watched = Native<typeof watchedRow>;

/** Evaluates a rule for the next devices. Resolves to null for one that another worker evaluates. */
async function evaluateBatch(
  tx: Ctx,
  ruleUid: string,
  { now, decided }: Clock,
): Promise<{ rule: LiveRule; devices: number; triggered: number } | null> {
  const [rule] = await query(
    tx,
    liveRuleRow,
    // One that another worker evaluates, or somebody changes, is left for the next time.
    Prisma.sql`select uid, name, version, condition, actions, scope, demo, live_since from rules
      where uid = ${ruleUid} and organization_id = ${tx.organizationId} and live and enabled for no key update skip locked`,
  );
  if (!rule) return null;
  // Devices that were seen since, or of which silence says something; a state of another version begins anew.
  const devices = await query(
    tx,
    watchedRow,
    Prisma.sql`select d.uid, d.name, d.type, d.number, d.demo, d.created_at, d.last_seen_at,
        case when s.current then s.alerting else ${hasLive(tx, rule, Prisma.sql`d.uid`)} end as alerting,
        case when s.current then s.evaluated_at end as evaluated_at, case when s.current then s.state end as state
      from devices d left join lateral (
        select *, version = ${rule.version}::int and since = ${rule.live_since}::timestamptz as current
        from live_rule_states s where s.rule_id = ${rule.uid} and s.device_id = d.uid) s on true
      where d.organization_id = ${tx.organizationId} ${scopeFilter(tx, rule.scope, "d.uid")}
        and (s.current is not true or d.last_seen_at > s.evaluated_at or s.next_at <= ${decided}::timestamptz)
      order by d.uid limit ${batch}::int`,
  );
  if (devices.length === 0) return { rule, devices: 0, triggered: 0 };
  const metrics = listMetrics(rule.condition);
  const stream = createRuleStream(rule);
  const places = await findPlaces(tx, rule, devices, now);
  const points = await listPointsAfter(tx, places, metrics, rule.uid);
  const states: StateRow[] = [];
  const begun: bigint[] = [];
  for (const [n, device] of devices.entries()) {
    const own = points.get(device.number) ?? [];
    const isAll = own.length < pointsPerDevice;
    const { after } = places[n]!;
    // A point of the millisecond in which it begins counts.
    stream.load(device.state, nsFromMs(after) + nsPerMs);
    let nextAt: bigint | null = null;
    const apply = async (step: StreamStep) => {
      ({ nextAt } = step);
      begun.push(...(await applyStep(tx, rule, device, step)));
    };
    for (const point of own) {
      const step = stream.sample(nsFromMs(point.at), readValues(point), decided ? "counts" : "excused");
      if (step) await apply(step);
    }
    // Of silence nothing is known behind points that are still to be read.
    await apply(stream.advance(decided && isAll ? nsFromMs(decided) : stream.evaluatedAt));
    const read = [device.evaluated_at ?? after, own.at(-1)?.at, isAll ? device.last_seen_at : null];
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
  return { rule, devices: devices.length, triggered: begun.length };
}

/** From where on the points of devices are read. */
async function findPlaces(tx: Ctx, rule: LiveRule, devices: readonly Watched[], now: Date): Promise<PointsAfter[]> {
  const look = findLook(rule);
  const isNew = devices.some(({ evaluated_at: at }) => at === null);
  const newest = isNew && !look ? await findNewest(tx, rule) : null;
  return devices.map((device) => {
    const { number, state, evaluated_at: evaluated } = device;
    if (evaluated === null) {
      const begin = findBegin(rule, device, { look, newest, now });
      return { device: number, after: new Date(begin.getTime() - 1) };
    }
    const at = readEvaluatedAt(state);
    return { device: number, after: at === null ? evaluated : dateFromNs(at) };
  });
}

/** When the last of the devices that have a state was there. */
async function findNewest(tx: Ctx, rule: LiveRule): Promise<Date | null> {
  const [row] = await query(
    tx,
    { newest: nullable(timestamptz) },
    Prisma.sql`select max(s.evaluated_at) as newest from live_rule_states s
      where s.rule_id = ${rule.uid} and s.version = ${rule.version}::int and s.since = ${rule.live_since}::timestamptz`,
  );
  return row?.newest ?? null;
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
      -- As those who note what comes late.
      order by s.device_id
      on conflict (rule_id, device_id) do update set version = excluded.version, since = excluded.since,
        evaluated_at = excluded.evaluated_at, next_at = excluded.next_at, alerting = excluded.alerting,
        -- What comes late may be noted meanwhile; it is kept until the points of that time are behind.
        state = excluded.state || coalesce((select jsonb_build_object('late', jsonb_agg(span))
          from jsonb_array_elements(l.state -> 'late') span
          where (span ->> 1)::numeric * 1000000 > (excluded.state ->> 'at')::numeric having count(*) > 0), '{}'::jsonb)`,
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
