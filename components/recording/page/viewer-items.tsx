"use client";

import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import type { MenuItem } from "@/components/kit/menu";
import { useTRPC } from "@/components/trpc/client";

/** Milliseconds for which links to a recording's file are used; they are valid for twelve hours. */
const freshMs = 3_600_000;

/** Menu items that open a recording in other programs, or say why they cannot. */
export function useViewerItems(uid: string, enabled: boolean): MenuItem[] {
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.recordings.viewers.queryOptions({ uid }), staleTime: freshMs, enabled });
  return (data ?? []).map(({ name, href, reason }) => ({
    label: `Open in ${name}`,
    icon: <ExternalLink aria-hidden />,
    disabledReason: reason ?? undefined,
    onSelect: () => {
      if (href !== null) window.open(href, "_blank", "noopener");
    },
  }));
}
