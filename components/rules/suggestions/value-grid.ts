import type { ConditionDraft } from "@/domain/conditions/draft";
import { durationOrZero } from "@/domain/time/duration";
import { comparesOverTime } from "../conditions/condition-draft";
import { tally, type CountedRecording, type Judgements, type Recordings, type Tally } from "./outcomes";

/** What a condition with another value and time would do. */
export interface GridCell {
  value: number;
  /** How long it has to hold, such as `5s`; null: no time. */
  window: string | null;
  hits: number;
  /** What it does with what people decided; null where nothing of it was decided. */
  tally: Tally | null;
}

/** Times that are offered beside none. */
const windows = "200ms 500ms 1s 2s 5s 10s 30s 1m 5m".split(" ");
/** How many columns of times, and how many rows of values from the present one to the highest peak. */
const columns = 6;
const rows = 6;
/** How many rows beyond the present value, where the condition finds more. */
const rowsBeyond = 2;

const isAbove = ({ operator }: ConditionDraft): boolean | null => {
  if (operator === "gt" || operator === "gte") return true;
  return operator === "lt" || operator === "lte" ? false : null;
};

/** The next of 1, 2, 2.5 and 5 times a power of ten. */
function roundStep(width: number): number {
  const size = 10 ** Math.floor(Math.log10(width));
  return size * ([1, 2, 2.5, 5].find((step) => step * size >= width) ?? 10);
}

const listPeaks = (recordings: Readonly<Recordings>): number[] =>
  recordings.flatMap(({ hits }) => hits.flatMap(({ peak }) => (peak === null ? [] : [peak])));

/**
 * The values of a map, from those that find most on: round numbers between the present value and the farthest peak of its
 * hits, and some on its other side. Empty for conditions without a single value or without peaks beyond it.
 */
export function chooseValues(condition: ConditionDraft, recordings: Readonly<Recordings>): number[] {
  const above = isAbove(condition);
  const { value } = condition;
  if (!comparesOverTime(condition) || typeof value !== "number" || above === null) return [];
  const peaks = listPeaks(recordings);
  const far = peaks.reduce((most, peak) => (above ? Math.max(most, peak) : Math.min(most, peak)), value);
  const sign = above ? 1 : -1;
  const width = Math.abs(far - value) / rows;
  // Values have six digits: steps below the last of them would all be the same number.
  if (!(width > Math.abs(value) * 1e-5) || !Number.isFinite(width)) return [];
  const step = roundStep(width);
  const first = Math.floor((sign * value) / step) - rowsBeyond + (Number.isInteger((sign * value) / step) ? 0 : 1);
  const values = new Set<number>([value]);
  for (let at = first; values.size <= rows + rowsBeyond; at++) values.add(sign * Number((at * step).toPrecision(6)));
  return [...values].sort((a, b) => sign * (a - b));
}

/** The times of a map: none, the present one and those around it, in order. */
export function chooseWindows({ window }: ConditionDraft): (string | null)[] {
  const present = durationOrZero(window);
  const known = windows.filter((each) => durationOrZero(each) !== present);
  const at = known.filter((each) => durationOrZero(each) < present).length;
  const from = Math.min(Math.max(at - 2, 0), known.length - columns + 2);
  const around = present === 0n ? known.slice(2, columns + 1) : known.slice(from, from + columns - 2);
  const all = [null, ...around, ...(window === undefined || present === 0n ? [] : [window])];
  return all.sort((a, b) => Number(durationOrZero(a) - durationOrZero(b)));
}

/** Whether there is anything to compare: a condition with one value, and hits with peaks beyond it. */
export const hasValueMap = (condition: ConditionDraft, recordings: Readonly<Recordings>): boolean =>
  chooseValues(condition, recordings).length > 0;

export const toCell = (
  condition: ConditionDraft,
  counted: readonly CountedRecording[],
  judged: Judgements,
): GridCell | null =>
  typeof condition.value === "number"
    ? {
        value: condition.value,
        window: condition.window ?? null,
        hits: counted.reduce((sum, { hit_count: count }) => sum + count, 0),
        tally: tally(counted, judged),
      }
    : null;

/** Whether a cell does something that nobody wants: it finds a false alarm, or no longer what was fixed. */
export const isWrong = ({ tally: found }: GridCell): boolean =>
  found !== null && (found.kept < found.fixed || found.dropped < found.falseAlarms);

/** Whether people decided enough to suggest anything: that something was real, and that something was not. */
export const canSuggest = (found: Tally | null): boolean => found !== null && found.fixed > 0 && found.falseAlarms > 0;

/**
 * The cell that agrees best with what people decided, if it is better than the present condition: it keeps the most of
 * what was fixed, then drops the most false alarms, and is as near to the present value and time as such cells are.
 * Null where one of the two is missing: nothing would say how far it may go.
 */
export function chooseBest(
  cells: readonly GridCell[],
  values: readonly number[],
  times: readonly (string | null)[],
  present: ConditionDraft,
): GridCell | null {
  const isPresent = ({ value, window }: GridCell) =>
    value === present.value && durationOrZero(window) === durationOrZero(present.window);
  const now = cells.find(isPresent);
  if (!now || !canSuggest(now.tally)) return null;
  const getSteps = ({ value, window }: GridCell) =>
    Math.abs(values.indexOf(value) - values.indexOf(now.value)) +
    Math.abs(times.indexOf(window) - times.indexOf(now.window));
  const compare = (a: GridCell, b: GridCell) =>
    (b.tally?.kept ?? 0) - (a.tally?.kept ?? 0) || (b.tally?.dropped ?? 0) - (a.tally?.dropped ?? 0);
  const [best] = [...cells].sort((a, b) => compare(a, b) || getSteps(a) - getSteps(b));
  return best && compare(best, now) < 0 ? best : null;
}
