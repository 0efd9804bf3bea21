import { cn } from "@/components/kit/cn";
import { formatDuration } from "@/components/kit/format";
import { InstantTime } from "@/components/kit/time";
import type { Attempt, DeliveryView } from "./query";

/** Where a time is drawn between the first and the last one: logarithmic, as delays grow from seconds to a day. */
function place(at: number, first: number, last: number): number {
  const scale = (ms: number) => Math.log10(1 + Math.max(0, ms) / 1_000);
  return last <= first ? 0 : (scale(at - first) / scale(last - first)) * 100;
}

/** The attempts of a delivery on a ruler of the time since it was created, and when the next one is due. */
export function AttemptRuler({ delivery }: { delivery: DeliveryView }) {
  const attempts = delivery.attempt_log;
  const first = Date.parse(delivery.created_at);
  const next = delivery.next_retry_at === null ? null : Date.parse(delivery.next_retry_at);
  const last = Math.max(next ?? 0, first + 1_000, ...attempts.map((attempt) => Date.parse(attempt.started_at)));
  const mark = (at: number) => `${place(at, first, last)}%`;
  const describe = (attempt: Attempt) =>
    `${formatDuration(Date.parse(attempt.started_at) - first)}: ${attempt.ok ? "delivered" : "failed"}`;
  return (
    <figure className="text-meta text-subtle">
      <div aria-hidden className="relative mx-1.5 h-6">
        <span className="absolute inset-x-0 top-1/2 border-t" />
        {attempts.map((attempt) => (
          <span
            key={attempt.uid}
            title={describe(attempt)}
            style={{ left: mark(Date.parse(attempt.started_at)) }}
            className={cn(
              "absolute top-1/2 h-3 w-1 -translate-x-1/2 -translate-y-1/2 rounded-full",
              attempt.ok ? "bg-online" : "bg-error",
            )}
          />
        ))}
        {next !== null && (
          <span
            title={`next attempt ${formatDuration(next - first)} after its creation`}
            style={{ left: mark(next) }}
            className="absolute top-1/2 size-2.5 -translate-x-1/2 -translate-y-1/2 rounded-full border-2 border-info bg-surface"
          />
        )}
      </div>
      <figcaption className="flex justify-between gap-3 tabular-nums">
        <InstantTime value={delivery.created_at} precision="second" />
        <span>{attempts.length + (next === null ? 0 : 1) > 1 && `+${formatDuration(last - first)}`}</span>
      </figcaption>
    </figure>
  );
}
