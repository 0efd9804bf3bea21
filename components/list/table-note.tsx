import type { ReactNode } from "react";

/** A line with a table's content and order, in place of the filters of other tables. */
export function TableNote({ children }: { children: ReactNode }) {
  return <p className="py-1.5 text-table text-muted">{children}</p>;
}
