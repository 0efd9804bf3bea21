import { addMeanings, describeCondition, describeHit } from "@/domain/conditions/describe";
import { listMetrics, readsHeartbeats } from "@/domain/conditions/heartbeat";
import type { ReadMeaning } from "@/domain/conditions/metric";
import type { LivePreview, LivePreviewDevice } from "@/domain/rules/live-preview";
import type { PreviewLiveRule } from "@/domain/rules/schema";
import { isoFromNs, nsFromMs, secondsFromNs } from "@/domain/time/nanoseconds";
import type { RuleInput } from "@/engine/rules/evaluate";
import { createRuleStream, type RuleStream, type StreamEvent } from "@/engine/rules/rule-stream";
import { meaningsFor, readMeanings } from "@/server/features/health/meaning-service";
import { listPointsAfter, pointsPerDevice, readValues } from "@/server/features/rules/live-points-queries";
import { candidate, isOwnOnly, limitPreviews } from "@/server/features/rules/preview-service";
import { scopeFilter } from "@/server/features/rules/scope-queries";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { invalid } from "@/server/platform/errors";
import { int4, type Native, notNull, text, timestamptz } from "@/server/platform/rows";

/** What one preview reads and returns at most. */
const livePreviewLimits = {
  /** Of the devices in scope, those that were seen last. */
  devices: 1_000,
  /** Devices at a time, whose points are in memory. */
  batch: 20,
  points: 500_000,
  ms: 8_000,
  hits: 2_000,
  hitsPerDevice: 50,
  /** However long points are kept. */
  days: 7,
};
type Limits = typeof livePreviewLimits;

const dayMs = 86_400_000;

const deviceRow = { uid: text, name: text, type: text, number: int4, created_at: notNull(timestamptz) };
type Device = Native<typeof deviceRow>;

/**
 * Evaluates a condition on the heartbeats of the last days, as it would have been while they arrived, without saving:
 * for the devices in scope, each from when it was registered. Throws `invalid("condition")` for one about recordings.
 */
export async function previewLive(
  ctx: Ctx,
  { condition, scope = null }: PreviewLiveRule,
  given: Partial<Limits> = {},
  now = databaseNow(),
): Promise<LivePreview> {
  if (!readsHeartbeats(condition)) throw invalid("condition", "This condition is about recordings, not heartbeats.");
  const limits = { ...livePreviewLimits, ...given };
  const days = Math.min(env.RETENTION.metrics_raw ?? limits.days, limits.days);
  const range = { since: new Date(now.getTime() - days * dayMs), until: now };
  const isOwn = await isOwnOnly(ctx, { condition, scope });
  const inScope = Prisma.sql`d.organization_id = ${ctx.organizationId} ${scopeFilter(ctx, scope, "d.uid")}
    ${isOwn ? Prisma.sql`and not d.demo` : Prisma.empty}`;
  const rule = { uid: candidate, version: 1, condition };
  const metrics = listMetrics(condition);
  const [meanings, [counted], devices] = await Promise.all([
    readMeanings(ctx, metrics),
    query(ctx, { count: int4 }, Prisma.sql`select count(*)::int as count from devices d where ${inScope}`),
    query(
      ctx,
      deviceRow,
      Prisma.sql`select d.uid, d.name, d.type, d.number, d.created_at from devices d where ${inScope}
        order by d.last_seen_at desc nulls last, d.uid limit ${limits.devices}::int`,
    ),
  ]);
  const watched = devices.map((device) => new Watched(rule, device, range, meaningsFor(meanings, device.type), limits));
  const total = counted?.count ?? devices.length;
  const stopped = await limitPreviews(() => evaluateAll(ctx, watched, metrics, limits));
  const looked = watched.filter(({ readUntil }) => readUntil !== null);
  const found = looked.filter(({ hitCount }) => hitCount > 0).sort((a, b) => b.hitCount - a.hitCount);
  const hitCount = found.reduce((sum, each) => sum + each.hitCount, 0);
  return {
    since: range.since.toISOString(),
    until: range.until.toISOString(),
    days,
    devices_total: total,
    devices_evaluated: looked.length,
    devices_reporting: looked.filter(({ points }) => points > 0).length,
    device_count: found.length,
    point_count: looked.reduce((sum, { points }) => sum + points, 0),
    limit: stopped ?? (total > looked.length ? "devices" : null),
    hit_count: hitCount,
    hits_per_day: Math.round((hitCount / days) * 100) / 100,
    longest_seconds: found.length === 0 ? null : Math.max(...found.map(({ longest }) => secondsFromNs(longest))),
    condition_text: describeCondition(condition, meaningsFor(meanings)),
    example_message: found[0]?.hits.at(-1)?.text ?? null,
    devices: listDevices(found, limits.hits),
  };
}

/** Reads points until every device is evaluated. Returns what ended it before. */
async function evaluateAll(
  ctx: Ctx,
  watched: readonly Watched[],
  metrics: readonly string[],
  limits: Limits,
): Promise<"points" | "time" | null> {
  const deadline = performance.now() + limits.ms;
  let points = 0;
  for (let from = 0; from < watched.length; from += limits.batch) {
    let reading = watched.slice(from, from + limits.batch);
    while (reading.length > 0) {
      if (points >= limits.points) return "points";
      if (performance.now() > deadline) return "time";
      const after = reading.map((each) => ({ device: each.device.number, after: each.after }));
      const found = await listPointsAfter(ctx, after, metrics);
      for (const each of reading) each.feed(found.get(each.device.number) ?? []);
      points += [...found.values()].reduce((sum, own) => sum + own.length, 0);
      reading = reading.filter(({ isComplete }) => !isComplete);
    }
  }
  return null;
}

type Points = NonNullable<ReturnType<Awaited<ReturnType<typeof listPointsAfter>>["get"]>>;

interface FoundHit {
  startedAt: bigint;
  triggeredAt: bigint;
  endedAt: bigint | null;
  text: string;
}

/** A device while its points are evaluated. */
class Watched {
  /** The last ones, in order of time. */
  readonly hits: FoundHit[] = [];
  hitCount = 0;
  /** Nanoseconds of the longest one. */
  longest = 0n;
  points = 0;
  isComplete = false;
  /** Up to when its points were evaluated; null before they were read. */
  readUntil: Date | null = null;
  private stream: RuleStream | null = null;

  constructor(
    private readonly rule: RuleInput,
    readonly device: Device,
    private readonly range: { since: Date; until: Date },
    private readonly read: ReadMeaning,
    private readonly limits: Pick<Limits, "hitsPerDevice">,
  ) {}

  /** Its next points are those after. */
  get after(): Date {
    return this.readUntil ?? this.range.since;
  }

  /** The points that follow; fewer than `pointsPerDevice` are the last ones. */
  feed(points: Points): void {
    const { since, until } = this.range;
    this.stream ??= this.begin(points[0]?.at ?? until);
    for (const point of points) {
      if (point.at > until) break;
      this.points++;
      this.take(this.stream.sample(nsFromMs(point.at), readValues(point))?.events ?? []);
    }
    const last = points.at(-1)?.at ?? since;
    this.isComplete = points.length < pointsPerDevice || last > until;
    this.readUntil = this.isComplete ? until : last;
    if (this.isComplete) {
      this.take(this.stream.advance(nsFromMs(until)).events);
      this.stream = null;
    }
    const open = this.hits.at(-1);
    if (open?.endedAt === null) this.measure(open.startedAt, nsFromMs(this.readUntil));
  }

  // A device is silent only from when it is known.
  private begin(first: Date): RuleStream {
    const known = Math.min(this.device.created_at.getTime(), first.getTime());
    const stream = createRuleStream(this.rule);
    stream.load(null, nsFromMs(Math.max(known, this.range.since.getTime())));
    return stream;
  }

  private take(events: readonly StreamEvent[]): void {
    for (const event of events) {
      const { startedAt, triggeredAt } = event;
      if (event.kind === "begin") {
        const leaves = addMeanings(this.rule, event.evidence.leaves, this.read);
        const sentence = describeHit(this.rule, { evidence: { leaves } });
        this.hitCount++;
        this.hits.push({ startedAt, triggeredAt, endedAt: null, text: sentence });
        if (this.hits.length > this.limits.hitsPerDevice) this.hits.shift();
      } else {
        const open = this.hits.at(-1);
        if (open?.triggeredAt === triggeredAt) open.endedAt = event.endedAt;
        this.measure(startedAt, event.endedAt);
      }
    }
  }

  private measure(from: bigint, to: bigint): void {
    if (to - from > this.longest) this.longest = to - from;
  }
}

/** Devices with the last of their hits, as many as there is room for. */
function listDevices(found: readonly Watched[], maxHits: number): LivePreviewDevice[] {
  let room = maxHits;
  return found.flatMap(({ device, hits, hitCount, isComplete, readUntil }) => {
    if (room === 0) return [];
    const shown = hits.slice(-room);
    room -= shown.length;
    return {
      device_id: device.uid,
      device_name: device.name,
      hit_count: hitCount,
      evaluated_until: isComplete ? null : (readUntil?.toISOString() ?? null),
      hits: shown.reverse().map(({ startedAt, triggeredAt, endedAt, text: sentence }) => ({
        started_at: isoFromNs(startedAt),
        triggered_at: isoFromNs(triggeredAt),
        ended_at: endedAt === null ? null : isoFromNs(endedAt),
        text: sentence,
      })),
    };
  });
}
