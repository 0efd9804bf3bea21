"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { cn } from "@/components/kit/cn";
import { formatCompact } from "@/components/kit/format";
import { useTRPC } from "@/components/trpc/client";

/** Announced changes refresh it; silences begin and end without one. */
const refreshMs = 60_000;

const tones = {
  info: "text-muted",
  warning: "text-muted",
  error: "text-error-text",
  critical: "text-critical-text",
} as const;

/** Badges of the rail by href: how many alerts are open, in the colour of the worst where that is bad. */
export function useAlertBadges(): Readonly<Record<string, ReactNode>> {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const badge = useQuery({ ...trpc.alerts.openBadge.queryOptions(shown), refetchInterval: refreshMs }).data;
  if (!badge || badge.count === 0) return {};
  const text = badge.count >= badge.ceiling ? `${formatCompact(badge.ceiling)}+` : String(badge.count);
  return {
    "/alerts": (
      <span className={cn("font-medium", tones[badge.worst ?? "info"])}>
        {text}
        <span className="sr-only"> open, worst {badge.worst}</span>
      </span>
    ),
  };
}
