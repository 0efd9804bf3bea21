import { drawnField } from "@/domain/conditions/drawn-field";
import { drawnThresholds } from "@/domain/conditions/drawn-thresholds";
import { ruleEvidenceSchema } from "@/domain/conditions/rule-evidence";
import { type EventType, eventTypes } from "@/domain/events/event-type";
import type { RecordingRange } from "@/domain/recordings/schema";
import { severities } from "@/domain/severity";
import { findRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { arrayOf, float8, int4, jsonbObject, type Native, nullable, oneOf, text } from "@/server/platform/rows";

const maxAlerts = 200;
const maxHits = 5_000;
const maxHitsOfRule = 500;
const maxEvents = 1_000;
const eventBuckets = 240;

const alertRow = {
  uid: text,
  rule_id: text,
  rule_name: text,
  severity: oneOf(severities),
  status: text,
  message: text,
  at_ns: text,
};

/** Times in nanoseconds since 1970, as decimal strings. */
export interface AlertLane extends Omit<Native<typeof alertRow>, "at_ns"> {
  /** When its rule held; a single instant where no hit is stored. */
  ranges: { from_ns: string; to_ns: string }[];
}

const ruleRow = {
  rule_id: text,
  rule_name: text,
  version: int4,
  /** The number of all hits; `hits` contains the first 500. */
  hit_count: int4,
};
const evidenceRow = { rule_id: text, evidence: jsonbObject };
const hitRow = { rule_id: text, from_ns: text, at_ns: text, to_ns: text, peak: nullable(float8) };

export interface RuleLane extends Native<typeof ruleRow> {
  /** The topic that triggered it first, and the fields it compared then with the values, those that held first. */
  topic: string | null;
  fields: { topic: string; field: string; thresholds: number[] }[];
  hits: Omit<Native<typeof hitRow>, "rule_id">[];
}

const laneEventRow = {
  uid: text,
  type: oneOf(eventTypes),
  severity: oneOf(severities),
  label: text,
  at_ns: text,
  duration_ns: nullable(text),
  tags: arrayOf(text),
  source: text,
};
type LaneEvent = Native<typeof laneEventRow>;

/** `buckets` instead of `events` for more than 1,000 events in the range: counts by type in equal intervals. */
export interface EventLane {
  events: LaneEvent[];
  total: number;
  buckets: { at_ns: string; type: EventType; count: number }[] | null;
}

/** What a hit's evidence is about; nothing where the evidence is that of an older version. */
function comparedFields(stored: unknown): Pick<RuleLane, "topic" | "fields"> {
  const { data: evidence } = ruleEvidenceSchema.safeParse(stored);
  if (evidence === undefined) return { topic: null, fields: [] };
  const leaves = evidence.leaves.toSorted((a, b) => Number(b.holds) - Number(a.holds));
  const fields = leaves.flatMap((leaf) => {
    const field = drawnField(leaf);
    return field === null ? [] : [{ topic: leaf.topic, field, thresholds: drawnThresholds(leaf) }];
  });
  return { topic: evidence.topic, fields };
}

/** The hits of rules in a recording, and its alerts. Throws `not_found`. */
export async function recordingLanes(ctx: Ctx, uid: string): Promise<{ alerts: AlertLane[]; rules: RuleLane[] }> {
  await findRecording(ctx, uid);
  const [alerts, rules, evidence, hits] = await Promise.all([
    query(
      ctx,
      alertRow,
      Prisma.sql`select uid, rule_id, rule_name, severity, status, message, triggered_ns::text as at_ns from alerts
        where recording_id = ${uid} and organization_id = ${ctx.organizationId} order by uid limit ${maxAlerts}`,
    ),
    query(
      ctx,
      ruleRow,
      Prisma.sql`select e.rule_id, r.name as rule_name, e.version, e.hit_count from rule_evaluations e join rules r on r.uid = e.rule_id
        where e.recording_id = ${uid} and e.organization_id = ${ctx.organizationId} and e.hit_count > 0 order by r.name limit 100`,
    ),
    query(
      ctx,
      evidenceRow,
      Prisma.sql`select rule_id, evidence from rule_hits
        where recording_id = ${uid} and organization_id = ${ctx.organizationId} and position = 0 limit 100`,
    ),
    query(
      ctx,
      hitRow,
      Prisma.sql`select rule_id, started_ns::text as from_ns, triggered_ns::text as at_ns, ended_ns::text as to_ns, peak from rule_hits
        where recording_id = ${uid} and organization_id = ${ctx.organizationId} and position < ${maxHitsOfRule}
        order by triggered_ns limit ${maxHits}`,
    ),
  ]);
  const ofRule = (ruleId: string) => hits.filter((hit) => hit.rule_id === ruleId);
  return {
    alerts: alerts.map(({ at_ns, ...alert }) => {
      const ranges = ofRule(alert.rule_id).map(({ from_ns, to_ns }) => ({ from_ns, to_ns }));
      return { ...alert, ranges: ranges.length > 0 ? ranges : [{ from_ns: at_ns, to_ns: at_ns }] };
    }),
    rules: rules.map((rule) => ({
      ...rule,
      ...comparedFields(evidence.find((each) => each.rule_id === rule.rule_id)?.evidence),
      hits: ofRule(rule.rule_id).map(({ from_ns, at_ns, to_ns, peak }) => ({ from_ns, at_ns, to_ns, peak })),
    })),
  };
}

/** The events of a recording that start in a range or extend into it, in order of time. Throws `not_found`. */
export async function recordingEvents(ctx: Ctx, uid: string, range: RecordingRange): Promise<EventLane> {
  const recording = await findRecording(ctx, uid);
  const from = range.from ?? BigInt(recording.start_ns ?? 0);
  const to = range.to ?? BigInt(recording.end_ns ?? Number.MAX_SAFE_INTEGER);
  const inside = Prisma.sql`recording_id = ${uid} and timestamp_ns between ${from} and ${to}`;
  const reachingIn = Prisma.sql`recording_id = ${uid} and timestamp_ns < ${from} and duration_ns is not null and timestamp_ns + duration_ns >= ${from}`;
  // Two statements, because each can use an index and their disjunction cannot.
  const found = Prisma.sql`(select * from events where ${inside} order by timestamp_ns, uid limit ${maxEvents + 1})
    union all (select * from events where ${reachingIn} order by timestamp_ns, uid limit ${maxEvents + 1})`;
  const events = await query(
    ctx,
    laneEventRow,
    Prisma.sql`select uid, type, severity, label, timestamp_ns::text as at_ns, duration_ns::text as duration_ns, coalesce(tags, '{}') as tags, source
      from (${found}) events order by timestamp_ns, uid limit ${maxEvents + 1}`,
  );
  if (events.length <= maxEvents) return { events, total: events.length, buckets: null };
  const width = (to - from) / BigInt(eventBuckets) + 1n;
  const buckets = await query(
    ctx,
    { at_ns: text, type: oneOf(eventTypes), count: int4 },
    Prisma.sql`select (${from}::bigint + greatest(0, (timestamp_ns - ${from}) / ${width}) * ${width})::text as at_ns, type, count(*)::int as count
      from (select timestamp_ns, type from events where ${inside} union all select timestamp_ns, type from events where ${reachingIn}) events
      group by 1, 2 order by 1`,
  );
  return { events: [], total: buckets.reduce((sum, bucket) => sum + bucket.count, 0), buckets };
}
