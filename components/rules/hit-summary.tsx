import { formatDuration, formatNumber, plural } from "@/components/kit/format";

interface HitSummaryProps {
  preview: { hit_count: number; device_count: number; hits_per_day: number; longest_seconds: number | null };
  /** How many devices were looked at. */
  devices: number;
}

/** How often a condition would have triggered, and on how many devices. */
export function HitSummary({ preview, devices }: HitSummaryProps) {
  const { hit_count, device_count, hits_per_day, longest_seconds } = preview;
  return (
    <p className="text-section">
      Triggers <strong className="font-semibold tabular-nums">{formatNumber(hit_count)}</strong>{" "}
      {hit_count === 1 ? "time" : "times"} on{" "}
      <span className="tabular-nums">
        {device_count} of {plural(devices, "device")}
      </span>
      <span className="text-muted">
        , {formatNumber(hits_per_day, 1)} a day
        {longest_seconds !== null && `; longest ${formatDuration(longest_seconds * 1_000)}`}
      </span>
    </p>
  );
}
