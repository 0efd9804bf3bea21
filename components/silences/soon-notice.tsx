"use client";

import { Hourglass } from "lucide-react";
import { Button } from "@/components/kit/button";
import { useNow } from "@/components/kit/clock";
import { formatDuration } from "@/components/kit/format";
import type { Matchers, Silence } from "./query";
import { describeMatchers } from "./silence-columns";
import { endsSoon } from "./silence-texts";

/** Lists the silences that end within the hour, so that they can be extended in time. */
export function SoonNotice({
  silences,
  names,
  explain,
  onExtend,
}: {
  silences: readonly Silence[];
  names: Readonly<Record<string, string>>;
  /** Why the person may not extend it. */
  explain: (silence: Silence) => string | undefined;
  onExtend: (silence: Silence) => void;
}) {
  const now = useNow(10_000);
  const soon = silences.filter((silence) => endsSoon(silence, now) && Date.parse(silence.ends_at) > now);
  if (soon.length === 0) return null;
  return (
    <ul aria-label="Ending soon" className="mx-4 mb-3 flex flex-col gap-1 rounded-panel border px-3 py-2 sm:mx-6">
      {soon.slice(0, 3).map((silence) => (
        <li key={silence.uid} className="flex items-center gap-2 text-table">
          <Hourglass aria-hidden className="size-4 shrink-0 text-warning-text" />
          <span className="min-w-0 flex-1 sm:truncate">
            <span className="font-medium">
              {describeMatchers(silence.matchers as Matchers, names)
                .slice(0, 2)
                .join(", ")}
            </span>{" "}
            ({silence.reason}){" "}
            <span className="whitespace-nowrap">
              ends in {formatDuration(Math.max(1_000, Date.parse(silence.ends_at) - now))}
            </span>
          </span>
          <Button size="sm" disabledReason={explain(silence)} onClick={() => onExtend(silence)}>
            Extend by 1 h
          </Button>
        </li>
      ))}
      {soon.length > 3 && <li className="text-meta text-subtle">and {soon.length - 3} more</li>}
    </ul>
  );
}
