import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import { spannedDays } from "@/domain/rules/spanned-days";

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
export function previewRate(
  preview: { hit_count: number; recordings: readonly { status: string; started_at: string; ended_at: string }[] },
  chosenDays: number | null,
): HitRate {
  const { hit_count: hits, recordings } = preview;
  if (chosenDays !== null && recordings.length < maxRecordings) return rateOverLast(hits, chosenDays);
  const evaluated = recordings.filter(({ status }) => status === "evaluated");
  const days = spannedDays(evaluated.map(({ started_at: from, ended_at: to }) => ({ from, to })));
  // Of a day or less a rate would say more than was seen.
  if (days < 1.05) return { perDay: hits, text: "within one day" };
  return toRate(hits, days, `the ${formatNumber(days, 1)} days of these recordings`);
}

interface HitSummaryProps {
  preview: { hit_count: number; device_count: number; longest_seconds: number | null };
  /** How many devices were looked at. */
  devices: number;
  rate: HitRate;
}

/** How often a condition would have triggered, and on how many devices. */
export function HitSummary({ preview, devices, rate }: HitSummaryProps) {
  const { hit_count, device_count, longest_seconds } = preview;
  return (
    <p className="text-section">
      Triggers <strong className="font-semibold tabular-nums">{formatNumber(hit_count)}</strong>{" "}
      {hit_count === 1 ? "time" : "times"} on{" "}
      <span className="tabular-nums">
        {device_count} of {plural(devices, "device")}
      </span>
      <span className="text-muted">
        {hit_count > 0 && `, ${rate.text}`}
        {longest_seconds !== null && `; longest ${formatDuration(longest_seconds * 1_000)}`}
      </span>
    </p>
  );
}
