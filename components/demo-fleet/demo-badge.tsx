import type { ReactNode } from "react";
import { Badge } from "@/components/kit/badge";

/** A name, and beside it whether it is of the demo fleet. */
export function WithDemoBadge({ demo, children }: { demo: boolean; children: ReactNode }) {
  if (!demo) return children;
  return (
    <span className="flex min-w-0 items-center gap-2">
      {children}
      <Badge className="shrink-0">Demo</Badge>
    </span>
  );
}
