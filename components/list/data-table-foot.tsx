"use client";

import { useEffect, useEffectEvent, useRef, type RefObject } from "react";
import { Button } from "@/components/kit/button";
import { formatNumber } from "@/components/kit/format";

/** The line below the rows: how many are loaded (never an unknown total) and "Load more". */
export function DataTableFoot(props: {
  count: number;
  noun: readonly [string, string];
  hasMore: boolean;
  loadingMore: boolean;
  ticked: number;
  onLoadMore?: () => void;
}) {
  const { count, noun, hasMore, loadingMore, ticked, onLoadMore } = props;
  return (
    <div className="flex h-9 shrink-0 items-center gap-3 border-t px-4 text-meta text-muted tabular-nums sm:px-6">
      <span>
        {hasMore
          ? `${formatNumber(count)}+ ${noun[1]} loaded`
          : `${formatNumber(count)} ${count === 1 ? noun[0] : noun[1]}`}
        {ticked > 0 && `, ${formatNumber(ticked)} selected`}
      </span>
      {hasMore && (
        <Button variant="ghost" size="sm" busy={loadingMore} onClick={onLoadMore} className="h-6.5 text-meta">
          Load more
        </Button>
      )}
    </div>
  );
}

/** Placed after the last row; loads the next page when it is about to scroll into view. */
export function LoadMoreSentinel({ root, onReach }: { root: RefObject<HTMLElement | null>; onReach: () => void }) {
  const mark = useRef<HTMLDivElement>(null);
  const loadMore = useEffectEvent(onReach);
  useEffect(() => {
    if (!mark.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && loadMore(), {
      root: root.current,
      rootMargin: "600px 0px",
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [root]);
  return <div ref={mark} aria-hidden className="h-px" />;
}
