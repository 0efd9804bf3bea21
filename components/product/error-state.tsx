"use client";

import { CircleAlert, RotateCw } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { readFailure } from "@/components/product/failure";
import { UidChip } from "@/components/product/uid-chip";
import { issueLine, wholeMessage } from "@/domain/issues";

export interface ErrorStateProps {
  /** The thrown value. */
  error: unknown;
  /** "Devices could not be loaded". */
  title?: string;
  onRetry?: () => void;
  className?: string;
}

/**
 * Shows what failed, with the request id and Retry; after a 429 it counts the seconds down and tries again by itself.
 */
export function ErrorState({ error, title = "This could not be loaded", onRetry, className }: ErrorStateProps) {
  const { detail, issues, requestId, retryAfter } = readFailure(error);
  // Without a form to show them at, what is wrong with a field is the reason itself.
  const reasons = wholeMessage(issues) ?? issues.map(issueLine).join(" ");
  return (
    <div role="alert" className={cn("flex flex-col items-center gap-3 px-4 py-16 text-center", className)}>
      <CircleAlert aria-hidden className="size-5 text-critical" strokeWidth={1.5} />
      <div className="max-w-120">
        <h2 className="text-body font-medium">{title}</h2>
        <p className="text-table text-muted">{reasons || detail}</p>
        {requestId && (
          <p className="mt-1 text-meta text-subtle">
            Request <UidChip uid={requestId} max={24} className="mx-0" />
          </p>
        )}
      </div>
      {onRetry &&
        (retryAfter ? (
          <Countdown key={requestId} seconds={retryAfter} onRetry={onRetry} />
        ) : (
          <Retry onRetry={onRetry} />
        ))}
    </div>
  );
}

function Retry({ onRetry }: { onRetry: () => void }) {
  return (
    <Button icon={<RotateCw aria-hidden />} onClick={onRetry}>
      Retry
    </Button>
  );
}

function Countdown({ seconds, onRetry }: { seconds: number; onRetry: () => void }) {
  const [left, setLeft] = useState(seconds);
  const retry = useEffectEvent(onRetry);
  useEffect(() => {
    const tick = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1000);
    const timer = setTimeout(() => retry(), seconds * 1000);
    return () => {
      clearInterval(tick);
      clearTimeout(timer);
    };
  }, [seconds]);
  if (left === 0) return <Retry onRetry={onRetry} />;
  return (
    <Button disabled className="tabular-nums">
      Retrying in {left} s
    </Button>
  );
}
