import { formatDuration, formatNumber, plural } from "@/components/kit/format";
import type { HitRate } from "./hit-rate";

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
