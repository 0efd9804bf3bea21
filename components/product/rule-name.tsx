import type { ReactNode } from "react";
import { DemoMark } from "@/components/demo-fleet/demo-mark";

/** A rule's name in a row of a table, with what marks it; `children` stand after the marks. */
export function RuleName({ rule, children }: { rule: { name: string; demo: boolean }; children?: ReactNode }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate">{rule.name}</span>
      <DemoMark of={rule} />
      {children}
    </span>
  );
}
