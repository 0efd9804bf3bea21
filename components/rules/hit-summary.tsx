import { formatDuration, formatNumber, plural } from "@/components/kit/format";

interface HitSummaryProps {
  hits: number;
  /** Devices that have hits, and those that were looked at. */
  devices: number;
  of: number;
  perDay: number;
  longestSeconds: number | null;
}

/** How often a condition would have triggered, and on how many devices. */
export function HitSummary({ hits, devices, of, perDay, longestSeconds }: HitSummaryProps) {
  return (
    <p className="text-section">
      Triggers <strong className="font-semibold tabular-nums">{formatNumber(hits)}</strong>{" "}
      {hits === 1 ? "time" : "times"} on{" "}
      <span className="tabular-nums">
        {devices} of {plural(of, "device")}
      </span>
      <span className="text-muted">
        , {formatNumber(perDay, 1)} a day
        {longestSeconds !== null && `; longest ${formatDuration(longestSeconds * 1_000)}`}
      </span>
    </p>
  );
}
