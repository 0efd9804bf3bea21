"use client";

import { useQuery } from "@tanstack/react-query";
import { formatNumber } from "@/components/kit/format";
import { useTRPC } from "@/components/trpc/client";

/** How far an addition is, until it is done. */
export function MomentProgress({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.moments.get.queryOptions({ uid }));
  if (!data || data.status === "done" || data.status === "undone") return null;
  const text =
    data.status === "failed"
      ? data.error || "Adding failed"
      : `${formatNumber(data.added + data.present)} of ${formatNumber(Math.max(data.planned, data.added + data.present))} added`;
  return (
    <span className="text-meta text-muted tabular-nums" role="status">
      {text}
    </span>
  );
}
