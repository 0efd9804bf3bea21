import type { ReactNode } from "react";

/** A line that says what a table holds and in which order, where other tables have their filters. */
export function TableNote({ children }: { children: ReactNode }) {
  return <p className="py-1.5 text-table text-muted">{children}</p>;
}
