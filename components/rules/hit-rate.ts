import { formatNumber } from "@/components/kit/format";
import { spannedDays } from "@/domain/rules/spanned-days";
import type { Preview } from "./query";
import type { PreviewRange } from "./use-preview";

/** How often a condition triggers. */
export interface HitRate {
  perDay: number;
  /** The same with the days that it is counted over: "1.4 a day over the last 30 days". */
  text: string;
}

/** As many recordings as a preview looks at: the days that were chosen may have had more. */
const maxRecordings = 1_000;

const toRate = (hits: number, days: number, over: string): HitRate => ({
  perDay: hits / days,
  text: `${formatNumber(hits / days, 1)} a day over ${over}`,
});

/** Hits a day over the last days, also those without any: as the noise of a rule is counted. */
export const rateOverLast = (hits: number, days: number): HitRate =>
  toRate(hits, days, days === 1 ? "the last day" : `the last ${formatNumber(days)} days`);

/** Hits a day of a preview: over the days that were chosen, else over those that its recordings span. */
export function previewRate({ hit_count: hits, recordings }: Preview, range: PreviewRange): HitRate {
  if (range.kind === "days" && recordings.length < maxRecordings) return rateOverLast(hits, range.days);
  const evaluated = recordings.filter(({ status }) => status === "evaluated");
  const days = spannedDays(evaluated.map(({ started_at: from, ended_at: to }) => ({ from, to })));
  // Of a day or less a rate would say more than was seen.
  if (days < 1.05) return { perDay: hits, text: "within one day" };
  return toRate(hits, days, `the ${formatNumber(days, 1)} days of these recordings`);
}
