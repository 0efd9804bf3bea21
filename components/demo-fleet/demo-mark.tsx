"use client";

import type { ReactNode } from "react";
import { Badge } from "@/components/kit/badge";
import { useDemoChoice } from "./demo-choice";

/** Says that a row is of the demo fleet, where rows of one's own are beside it. */
export function DemoMark({ of }: { of: { demo: boolean } }) {
  return useDemoChoice().choice === "both" && of.demo ? <Badge className="shrink-0">Demo</Badge> : null;
}

interface WithDemoMarkProps {
  of: { demo: boolean };
  children: ReactNode;
  /** What stands behind the mark. */
  after?: ReactNode;
}

/** A name with that mark. */
export const WithDemoMark = ({ of, children, after }: WithDemoMarkProps) => (
  <span className="flex min-w-0 items-center gap-2">
    {children}
    <DemoMark of={of} />
    {after}
  </span>
);
