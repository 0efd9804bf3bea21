import { maxNamed } from "@/domain/limits";
import { frameKinds, type MomentSelection } from "@/domain/moments/schema";
import { nsPerMs } from "@/domain/time/nanoseconds";
import type { NewSpan } from "@/server/features/moments/add-service";
import { getKind } from "@/server/features/moments/item-file";
import { countSteps, toRate } from "@/server/features/moments/plan-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { int8, notNull, nullable, text } from "@/server/platform/rows";

const foundRow = {
  recording_id: nullable(text),
  alert_id: nullable(text),
  event_id: nullable(text),
  rule_id: nullable(text),
  from_ns: int8,
  to_ns: int8,
};
const none = Prisma.sql`null::text`;

/** The statement that finds the moments that a request names, at most one more than may be named. */
function findStatement(ctx: Ctx, input: MomentSelection): Prisma.Sql {
  const org = ctx.organizationId;
  const limit = Prisma.sql`limit ${maxNamed + 1}`;
  if (input.alerts)
    return Prisma.sql`select a.recording_id, a.uid as alert_id, ${none} as event_id, a.rule_id, a.triggered_ns as from_ns,
        a.triggered_ns as to_ns from alerts a where a.organization_id = ${org} and a.uid = any(${input.alerts}) order by a.uid`;
  if (input.events)
    return Prisma.sql`select e.recording_id, ${none} as alert_id, e.uid as event_id, e.rule_id, e.timestamp_ns as from_ns,
        e.timestamp_ns + coalesce(e.duration_ns, 0) as to_ns
      from events e where e.organization_id = ${org} and e.uid = any(${input.events}) order by e.uid`;
  if (input.recordings)
    return Prisma.sql`select r.uid as recording_id, ${none} as alert_id, ${none} as event_id, ${none} as rule_id,
        coalesce(r.start_ns, 0) as from_ns, coalesce(r.end_ns, 0) as to_ns
      from recordings r where r.organization_id = ${org} and r.uid = any(${input.recordings}) order by r.uid`;
  return Prisma.sql`select h.recording_id, (select min(a.uid) from alerts a where a.recording_id = h.recording_id
        and a.rule_id = h.rule_id and a.organization_id = h.organization_id) as alert_id, ${none} as event_id, h.rule_id,
      h.triggered_ns as from_ns, h.triggered_ns as to_ns
    from rule_hits h where h.organization_id = ${org} and h.rule_id = ${input.rule_id}
    order by h.triggered_ns desc, h.recording_id, h.position ${limit}`;
}

const missing = (field: string, uid: string) => invalid(field, `Invalid pk "${uid}" - object does not exist.`);

/** Throws `invalid` when an object that a request names does not exist. */
function requireAll(field: string, named: readonly string[] | undefined, found: ReadonlySet<string | null>): void {
  const absent = named?.find((uid) => !found.has(uid));
  if (absent !== undefined) throw missing(field, absent);
}

/** The moments of a selection with their topics, and about how many frames they have. */
export interface Selected {
  spans: NewSpan[];
  /** Those whose recording is gone, or holds nothing of the kinds. */
  empty: number;
  frames: number;
}

const topicRow = { recording_id: text, name: text, schema_name: text, message_count: int8 };
const rangeRow = { uid: text, start_ns: notNull(int8), end_ns: notNull(int8) };

/** Finds what a request names. Throws `invalid` for what does not exist. */
export async function selectMoments(ctx: Ctx, input: MomentSelection): Promise<Selected> {
  if (input.rule_id !== undefined) {
    const where = { uid: input.rule_id, organizationId: ctx.organizationId };
    if ((await ctx.db.rule.count({ where })) === 0) throw missing("rule_id", input.rule_id);
  }
  const found = await query(ctx, foundRow, findStatement(ctx, input));
  if (found.length > maxNamed) throw invalid("rule_id", `The rule has more than ${maxNamed} hits; add a part of them.`);
  requireAll("alerts", input.alerts, new Set(found.map((row) => row.alert_id)));
  requireAll("events", input.events, new Set(found.map((row) => row.event_id)));
  requireAll("recordings", input.recordings, new Set(found.map((row) => row.recording_id)));
  const uids = [...new Set(found.flatMap((row) => row.recording_id ?? []))];
  const ranges = new Map(
    (
      await query(
        ctx,
        rangeRow,
        Prisma.sql`select r.uid, r.start_ns, r.end_ns from recordings r where r.organization_id = ${ctx.organizationId}
          and r.uid = any(${uids}) and r.status in ('ready', 'archived') and r.start_ns is not null and r.end_ns is not null`,
      )
    ).map((row) => [row.uid, row]),
  );
  const topics = await listTopics(ctx, uids, input);
  const selected: Selected = { spans: [], empty: 0, frames: 0 };
  const margin = input.recordings
    ? { before: 0n, after: 0n }
    : { before: BigInt(input.before_ms) * nsPerMs, after: BigInt(input.after_ms) * nsPerMs };
  for (const row of found) {
    const range = ranges.get(row.recording_id ?? "");
    const names = topics.get(row.recording_id ?? "") ?? [];
    if (!range || row.recording_id === null || (names.length === 0 && !input.clip)) {
      selected.empty += 1;
      continue;
    }
    const fromNs = clamp(row.from_ns - margin.before, range);
    const toNs = clamp(row.to_ns + margin.after, range);
    const of = { recordingId: row.recording_id, alertId: row.alert_id, eventId: row.event_id, ruleId: row.rule_id };
    selected.spans.push({ ...of, fromNs, toNs, topics: names.map(({ name }) => name) });
    selected.frames += input.clip ? 1 : 0;
    const length = Number(range.end_ns - range.start_ns) + 1;
    const share = (Number(toNs - fromNs) + 1) / length;
    const most = countSteps({ start: fromNs, end: toNs }, toRate(input));
    for (const { count } of names) selected.frames += Math.min(most, Math.ceil(count * share));
  }
  return selected;
}

const clamp = (ns: bigint, { start_ns: start, end_ns: end }: { start_ns: bigint; end_ns: bigint }): bigint =>
  ns < start ? start : ns > end ? end : ns;

/** The topics of recordings whose messages become items of the wanted kinds. */
async function listTopics(
  ctx: Ctx,
  recordings: readonly string[],
  { kinds }: MomentSelection,
): Promise<Map<string, { name: string; count: number }[]>> {
  const rows = await query(
    ctx,
    topicRow,
    Prisma.sql`select t.recording_id, t.name, t.schema_name, t.message_count from topics t
      where t.organization_id = ${ctx.organizationId} and t.recording_id = any(${[...recordings]}) and t.message_count > 0
      order by t.recording_id, t.name`,
  );
  const topics = new Map<string, { name: string; count: number }[]>();
  const wanted = new Set<string>(kinds.length === 0 ? [] : frameKinds.filter((kind) => kinds.includes(kind)));
  for (const row of rows) {
    if (!wanted.has(getKind(row.schema_name))) continue;
    const list = topics.get(row.recording_id) ?? [];
    list.push({ name: row.name, count: Number(row.message_count) });
    topics.set(row.recording_id, list);
  }
  return topics;
}
