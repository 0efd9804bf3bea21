import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import type { Webhook } from "./query";

const height = 20;

/** The attempts of the last 24 hours in parts of two hours: delivered above the line's base, failed on top. */
export function DayBars({ bars, className }: { bars: Webhook["bars"]; className?: string }) {
  const max = Math.max(1, ...bars.map(({ ok, failed }) => ok + failed));
  const [ok, failed] = [bars.reduce((sum, bar) => sum + bar.ok, 0), bars.reduce((sum, bar) => sum + bar.failed, 0)];
  const label =
    ok + failed === 0 ? "No attempts in 24 h" : `24 h: ${plural(ok, "attempt")} delivered, ${failed} failed`;
  const size = (count: number) => (count === 0 ? 0 : Math.max(2, (count / max) * height));
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={cn("flex items-end gap-0.5", className)}
      style={{ height }}
    >
      {bars.map((bar) => (
        <span key={bar.from} className="flex h-full w-2 flex-col justify-end">
          <span className="w-full bg-error" style={{ height: size(bar.failed) }} />
          <span
            className={cn("w-full", bar.ok + bar.failed === 0 ? "bg-border-strong" : "bg-series-1")}
            style={{ height: bar.ok + bar.failed === 0 ? 1 : size(bar.ok) }}
          />
        </span>
      ))}
    </span>
  );
}
