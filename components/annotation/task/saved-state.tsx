"use client";

import { CloudAlert, CloudCheck, CloudUpload } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { Button } from "@/components/kit/button";
import { useNow } from "@/components/kit/clock";
import { cn } from "@/components/kit/cn";
import { formatInstant } from "@/components/kit/format";
import { announce } from "@/components/kit/live-region";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { describeSaved } from "./saved-words";
import type { SessionState } from "./session-state";

interface SavedStateProps {
  state: SessionState;
  onRetry: () => void;
  onDownload: () => void;
}

function subscribeOnline(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

const tones = { quiet: "text-muted", warning: "text-warning-text", critical: "text-critical-text" } as const;

/** Whether the work is saved, in words; after a minute without, what people can do about it. */
export function SavedState({ state, onRetry, onDownload }: SavedStateProps) {
  const { zone } = useTimeZone();
  const now = useNow();
  const isOnline = useSyncExternalStore(
    subscribeOnline,
    () => navigator.onLine,
    () => true,
  );
  const { send, refusal, storing } = state;
  const { text, tone, isAtRisk } = describeSaved(send, {
    now,
    isOnline,
    isKept: refusal === null,
    storing,
    toTime: (at) => formatInstant(at, zone, "minute").slice(11, 16),
  });
  const isQuiet = tone === "quiet";
  // Only what people have to know: each save would drown what the stage says.
  useEffect(() => {
    if (!isQuiet) announce(text);
  }, [isQuiet, text]);
  const Icon = isQuiet ? (send.waiting === 0 ? CloudCheck : CloudUpload) : CloudAlert;
  return (
    <div className="flex min-w-0 shrink-0 items-center gap-2">
      <p
        data-stored={state.stored}
        className={cn(
          "flex min-w-40 items-center gap-1.5 text-table whitespace-nowrap max-sm:min-w-0 [&_svg]:size-4 [&_svg]:shrink-0",
          tones[tone],
        )}
      >
        <Icon aria-hidden strokeWidth={1.75} />
        {text}
      </p>
      {isAtRisk && (
        <>
          <Button size="sm" onClick={onRetry}>
            Retry
          </Button>
          <Button size="sm" onClick={onDownload}>
            Download my work
          </Button>
        </>
      )}
    </div>
  );
}
