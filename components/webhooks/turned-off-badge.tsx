"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { useTRPC } from "@/components/trpc/client";

/** The rail's badge by href: how many webhooks Muster turned off. Announced changes refresh it. */
export function useWebhookBadges(): Readonly<Record<string, ReactNode>> {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const count = useQuery({ ...trpc.webhooks.turnedOff.queryOptions(shown), staleTime: 60_000 }).data?.count ?? 0;
  if (count === 0) return {};
  return {
    "/webhooks": (
      <span className="font-medium text-critical-text">
        {count}
        <span className="sr-only"> turned off</span>
      </span>
    ),
  };
}
