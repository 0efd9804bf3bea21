import { formatNumber, plural } from "@/components/kit/format";
import type { Outputs } from "@/components/trpc/client";
import type { ConditionDraft } from "@/domain/conditions/draft";
import type { Judgement } from "@/domain/rules/judgements";
import { comparesOverTime } from "../conditions/condition-draft";
import { roundedUp } from "./suggestion";

/** What people decided about a rule's alert in each recording; of several the newest. */
export type Judgements = ReadonlyMap<string, Judgement>;

export function toJudgements(outcomes: Outputs["rules"]["outcomes"]): Judgements {
  const judged = new Map<string, Judgement>();
  for (const { recording_id: recording, judgement } of outcomes)
    if (!judged.has(recording)) judged.set(recording, judgement);
  return judged;
}

export interface Tally {
  /** Alerts that were resolved as fixed, and how many of them the condition still finds. */
  fixed: number;
  kept: number;
  /** Alerts that were false alarms, and how many of them the condition no longer finds. */
  falseAlarms: number;
  dropped: number;
}

type Preview = Extract<Outputs["rules"]["preview"], { hit_count: number }>;
/** The recordings of a preview, with what it found in each. */
export type Recordings = Pick<Preview["recordings"][number], "recording_id" | "status" | "hit_count" | "hits">[];

/** How often a condition triggers in a recording. */
export type CountedRecording = Pick<Recordings[number], "recording_id" | "status" | "hit_count">;
/** The same with how far its hits went. */
export interface PeakedRecording extends CountedRecording {
  hits: readonly { peak: number | null }[];
}
/** Counts the hits of a condition in each recording of a preview; null where the page cannot. */
export type CountHits = (condition: ConditionDraft) => Promise<CountedRecording[] | null>;

/** The evaluated recordings whose alert was judged so. */
const listJudged = <R extends CountedRecording>(
  recordings: readonly R[],
  judged: Judgements,
  judgement: Judgement,
): R[] => recordings.filter(({ recording_id: uid, status }) => status === "evaluated" && judged.get(uid) === judgement);

/** What a condition does with what people decided; null where nothing of it was decided. */
export function tally(recordings: readonly CountedRecording[], judged: Judgements): Tally | null {
  const fixed = listJudged(recordings, judged, "fixed");
  const falseAlarms = listJudged(recordings, judged, "false_alarm");
  if (fixed.length + falseAlarms.length === 0) return null;
  return {
    fixed: fixed.length,
    kept: fixed.filter(({ hit_count }) => hit_count > 0).length,
    falseAlarms: falseAlarms.length,
    dropped: falseAlarms.filter(({ hit_count }) => hit_count === 0).length,
  };
}

/** "keeps 3 of 3 fixed, drops 12 of 12 false alarms" */
export const describeTally = ({ fixed, kept, falseAlarms, dropped }: Tally): string =>
  [
    ...(fixed > 0 ? [`keeps ${kept} of ${formatNumber(fixed)} fixed`] : []),
    ...(falseAlarms > 0 ? [`drops ${dropped} of ${plural(falseAlarms, "false alarm")}`] : []),
  ].join(", ");

/**
 * The value nearest to the present one that lies between the peaks of every false alarm and those of everything that was
 * fixed; null where there is none, or nothing to gain. It knows peaks alone, so that the preview has the last word.
 */
export function suggestByOutcomes(
  condition: ConditionDraft,
  recordings: readonly PeakedRecording[],
  judged: Judgements,
): number | null {
  const { operator, value } = condition;
  const above = operator === "gt" || operator === "gte";
  const below = operator === "lt" || operator === "lte";
  if (!comparesOverTime(condition) || typeof value !== "number" || (!above && !below)) return null;
  const sign = above ? 1 : -1;
  const listPeaks = (judgement: Judgement) =>
    listJudged(recordings, judged, judgement).map(({ hits }) =>
      Math.max(...hits.flatMap(({ peak }) => (peak === null ? [] : [sign * peak]))),
    );
  const fixed = listPeaks("fixed");
  const wrong = listPeaks("false_alarm").filter(Number.isFinite);
  // Without a peak of each that was fixed, nobody knows how far the value may go.
  if (wrong.length === 0 || fixed.length === 0 || !fixed.every(Number.isFinite)) return null;
  const [from, to] = [Math.max(...wrong), Math.min(...fixed)];
  if (from >= to) return null;
  const round = roundedUp(from);
  const suggested = round < to ? round : Number(((from + to) / 2).toPrecision(6));
  const isPast = operator.endsWith("e") ? suggested > from : suggested >= from;
  return isPast && suggested < to && suggested > sign * value ? sign * suggested : null;
}
