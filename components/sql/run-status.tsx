"use client";

import { useClock } from "@/components/kit/clock";
import type { Run } from "./use-run";

/** Whether a query runs and for how long, or was cancelled. */
export function RunStatus({ since, isCancelled }: Pick<Run, "since" | "isCancelled">) {
  return (
    <p role="status" className="text-table text-muted tabular-nums">
      {since === null ? (
        isCancelled && "Cancelled."
      ) : (
        <>
          Running… <Seconds since={since} />
        </>
      )}
    </p>
  );
}

/** Not announced: it changes every second. */
function Seconds({ since }: { since: number }) {
  const seconds = useClock((now) => Math.max(0, Math.floor((now - since) / 1_000)));
  return seconds > 0 && <span aria-hidden>{seconds} s</span>;
}
