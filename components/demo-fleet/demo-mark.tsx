"use client";

import type { ReactNode } from "react";
import { Badge } from "@/components/kit/badge";
import { useDemoChoice } from "./demo-choice";

/** Says that a row is of the demo fleet, where rows of one's own are beside it. */
export function DemoMark({ of }: { of: { demo: boolean } }) {
  return useDemoChoice().choice === "both" && of.demo ? <Badge className="shrink-0">Demo</Badge> : null;
}

/** A name with that mark. */
export const WithDemoMark = ({ of, children }: { of: { demo: boolean }; children: ReactNode }) => (
  <span className="flex min-w-0 items-center gap-2">
    {children}
    <DemoMark of={of} />
  </span>
);
