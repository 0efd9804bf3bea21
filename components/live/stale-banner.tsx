"use client";

import { CloudOff } from "lucide-react";
import { useOffline } from "next/offline";
import { formatInstant } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { useStaleSince } from "./liveness";

/** Shows since when the screen may be out of date, and that the stream is reconnecting. */
export function StaleBanner() {
  const since = useStaleSince();
  const offline = useOffline();
  const { zone } = useTimeZone();
  return (
    <div role="status">
      {since === null && offline && (
        <p className="flex items-center gap-2 border-b bg-background px-4 py-1.5 text-meta text-warning-text sm:px-6">
          <CloudOff aria-hidden className="size-3.5 shrink-0" />
          Muster cannot be reached, trying again. What you have open is kept.
        </p>
      )}
      {since !== null && (
        <p className="flex items-center gap-2 border-b bg-background px-4 py-1.5 text-meta text-warning-text sm:px-6">
          <CloudOff aria-hidden className="size-3.5 shrink-0" />
          <span>
            Live updates paused since <span className="tabular-nums">{formatInstant(since, zone).slice(11)}</span>,
            reconnecting. What you see may be out of date.
          </span>
        </p>
      )}
    </div>
  );
}
