"use client";

import { useClock } from "@/components/kit/clock";
import { formatDuration } from "@/components/kit/format";

/** The time until something is due, counting down. */
export function Countdown({ to }: { to: string }) {
  const at = Date.parse(to);
  const text = useClock((now) => (at <= now ? "now" : formatDuration(Math.ceil((at - now) / 1_000) * 1_000)));
  return (
    <time dateTime={to} className="tabular-nums">
      {text}
    </time>
  );
}
