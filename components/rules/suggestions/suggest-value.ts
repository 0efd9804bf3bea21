import type { Outputs } from "@/components/trpc/client";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { suggestByOutcomes, tally, toJudgements, type PeakedRecording, type Tally } from "./outcomes";
import { suggestThreshold, type Suggestion } from "./suggestion";

/** A value to try in a rule, and why: what people decided about its alerts, or that it triggers too often. */
export type SuggestedValue = { value: number } & ({ by: "outcomes"; tally: Tally } | ({ by: "noise" } & Suggestion));

type Outcomes = Outputs["rules"]["outcomes"];

/** Recordings that were judged, with the least and the greatest peak of their hits: what lies between says no more. */
const toPeaked = (outcomes: Outcomes): PeakedRecording[] =>
  outcomes.map(({ recording_id, hit_count = 0, lowest_peak = null, highest_peak = null }) => ({
    ...{ recording_id, hit_count, status: "evaluated" },
    hits: [lowest_peak, highest_peak].map((peak) => ({ peak })),
  }));

/** What a condition would do with another value, as far as peaks tell. */
function countBeyond(
  { operator = "" }: ConditionDraft,
  value: number,
  recordings: readonly PeakedRecording[],
): PeakedRecording[] {
  const sign = operator.startsWith("g") ? 1 : -1;
  const isBeyond = (peak: number) => sign * peak > sign * value || (operator.endsWith("e") && peak === value);
  return recordings.map((recording) => {
    const hits = recording.hits.filter(({ peak }) => peak !== null && isBeyond(peak));
    return { ...recording, hits, hit_count: hits.length };
  });
}

/**
 * The value that is suggested for a rule. Where people decided about its alerts it agrees with them; one that only makes
 * the rule quieter never drops what they had to fix. Null where there is none.
 */
export function suggestValue(
  condition: ConditionDraft,
  seen: { peaks: readonly (number | null)[]; hitsPerDay: number },
  outcomes: Outcomes,
): SuggestedValue | null {
  const judged = toJudgements(outcomes);
  // The newest decision about a recording counts, and all of them have the same peaks.
  const recordings = [...new Map(toPeaked(outcomes).map((each) => [each.recording_id, each])).values()];
  const tallyAt = (value: number) => tally(countBeyond(condition, value, recordings), judged);
  const better = suggestByOutcomes(condition, recordings, judged);
  const agreed = better === null ? null : tallyAt(better);
  if (better !== null && agreed !== null) return { by: "outcomes", value: better, tally: agreed };
  const quieter = suggestThreshold(condition, seen.peaks, seen.hitsPerDay);
  if (quieter === null) return null;
  const found = tallyAt(quieter.value);
  return found === null || found.kept === found.fixed ? { by: "noise", ...quieter } : null;
}
