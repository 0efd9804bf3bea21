"use client";

import { ArrowUp } from "lucide-react";
import { Button } from "@/components/kit/button";
import { formatNumber } from "@/components/kit/format";
import { readFailure } from "@/components/product/failure";

/** How many rows arrived meanwhile; a press shows them. Above the list, where it covers none of its rows. */
export function FreshPill({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <Button variant="primary" icon={<ArrowUp aria-hidden />} onClick={onShow} className="shrink-0 rounded-full">
      {formatNumber(count)} new
    </Button>
  );
}

/** The rows on screen could not be refreshed. */
export function StaleLine({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { detail, requestId } = readFailure(error);
  return (
    <div
      role="alert"
      className="sticky left-0 flex items-center gap-3 border-b px-4 py-1.5 text-meta text-critical-text sm:px-6"
    >
      <span className="min-w-0 truncate">
        Not up to date: {detail} {requestId && `(request ${requestId})`}
      </span>
      {onRetry && (
        <Button variant="ghost" size="sm" className="h-6 text-meta" onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}
