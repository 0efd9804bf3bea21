import type { Condition } from "@/domain/conditions/condition";
import { describeCondition } from "@/domain/conditions/describe";
import type { PreviewHit, PreviewRecording, PreviewResult } from "@/domain/rules/preview";
import { spannedDays } from "@/domain/rules/spanned-days";
import { isoFromNs, secondsFromNs } from "@/domain/time/nanoseconds";
import type { Hit, RuleResult } from "@/engine/rules/evaluate";

/** The maximum of hits in one response, divided evenly among the recordings. */
const maxHits = 4_000;

const toSpan = (hit: Hit) => ({
  started_at: isoFromNs(hit.startedAt),
  triggered_at: isoFromNs(hit.triggeredAt),
  ended_at: isoFromNs(hit.endedAt),
  triggered_ns: String(hit.triggeredAt),
});

/** The hits that two versions of a rule have in common: those with overlapping spans, each matched once. */
function matchHits(hits: readonly Hit[], others: readonly Hit[]): { kept: Set<Hit>; lost: Hit[] } {
  const kept = new Set<Hit>();
  const lost: Hit[] = [];
  let at = 0;
  for (const other of others) {
    while (at < hits.length && hits[at]!.endedAt < other.startedAt) at++;
    const hit = hits[at];
    if (hit && hit.startedAt <= other.endedAt) {
      kept.add(hit);
      at++;
    } else lost.push(other);
  }
  return { kept, lost };
}

/** A recording that a preview looks at. */
export interface PreviewTarget {
  uid: string;
  name: string;
  deviceId: string;
  deviceName: string;
  startedAt: string;
  endedAt: string;
}

export interface Previewed {
  recording: PreviewTarget;
  result: RuleResult;
  /** The result of the saved rule it is compared with. */
  saved: RuleResult | null;
}

function previewRecording({ recording, result, saved }: Previewed, shown: number): PreviewRecording & { kept: number } {
  const comparison = saved && matchHits(result.hits, saved.hits);
  const hits = result.hits.slice(0, shown).map((hit): PreviewHit => ({
    ...toSpan(hit),
    peak: hit.peak,
    evidence: hit.evidence as unknown as Record<string, unknown>,
    ...(comparison && { change: comparison.kept.has(hit) ? "kept" : "new" }),
  }));
  return {
    recording_id: recording.uid,
    recording_name: recording.name,
    device_id: recording.deviceId,
    device_name: recording.deviceName,
    started_at: recording.startedAt,
    ended_at: recording.endedAt,
    status: result.status,
    ...(result.reason !== undefined && { reason: result.reason }),
    hit_count: result.hits.length,
    suppressed: result.suppressed,
    storm: result.storm,
    notes: result.notes,
    hits,
    ...(comparison && { lost: comparison.lost.slice(0, shown).map(toSpan) }),
    kept: comparison?.kept.size ?? 0,
  };
}

/** The result of a rule on a recording that it cannot be evaluated on. */
export const unusableResult = (ruleUid: string, version: number, reason: string): RuleResult => ({
  ruleUid,
  version,
  status: "error",
  reason,
  hits: [],
  suppressed: 0,
  storm: false,
  notes: [],
});

/** The hit whose alert is the example of a preview, with its recording; null without hits. */
export function findExample(previewed: readonly Previewed[]): { recording: PreviewTarget; hit: Hit } | null {
  for (const { recording, result } of previewed) {
    const [hit] = result.hits;
    if (hit) return { recording, hit };
  }
  return null;
}

/**
 * Summarizes the results of a condition on some recordings. Hits a day are counted over the days the recordings span,
 * at least one.
 */
export function previewResult(
  condition: Condition,
  previewed: readonly Previewed[],
  warnings: readonly string[],
  compared: { uid: string; version: number } | null,
  exampleMessage: string | null,
  maxHitsEach = Infinity,
): PreviewResult {
  const shown = Math.min(maxHitsEach, Math.max(5, Math.floor(maxHits / Math.max(previewed.length, 1))));
  const recordings = previewed.map((entry) => previewRecording(entry, shown));
  const total = (count: (entry: Previewed) => number) => previewed.reduce((sum, entry) => sum + count(entry), 0);
  const hitCount = total(({ result }) => result.hits.length);
  const savedCount = total(({ saved }) => saved?.hits.length ?? 0);
  const kept = recordings.reduce((sum, recording) => sum + recording.kept, 0);
  const evaluated = previewed.filter(({ result }) => result.status === "evaluated");
  const days = spannedDays(evaluated.map(({ recording }) => ({ from: recording.startedAt, to: recording.endedAt })));
  const lengths = previewed.flatMap(({ result }) =>
    result.hits.map((hit) => secondsFromNs(hit.endedAt - hit.startedAt)),
  );
  return {
    recordings: recordings.map(({ kept: _, ...recording }) => recording),
    hit_count: hitCount,
    device_count: new Set(
      previewed.flatMap(({ recording, result }) => (result.hits.length > 0 ? [recording.deviceId] : [])),
    ).size,
    devices_total: new Set(previewed.map(({ recording }) => recording.deviceId)).size,
    hits_per_day: Math.round((hitCount / days) * 100) / 100,
    longest_seconds: lengths.reduce<number | null>(
      (longest, length) => (longest === null || length > longest ? length : longest),
      null,
    ),
    condition_text: describeCondition(condition),
    example_message: exampleMessage,
    warnings: [...warnings],
    ...(compared && {
      compare: {
        rule_id: compared.uid,
        version: compared.version,
        new_count: hitCount - kept,
        lost_count: savedCount - kept,
        kept_count: kept,
      },
    }),
  };
}
