import { Fragment, type ReactNode } from "react";
import { cn } from "./cn";
import { None } from "./none";

export interface KeyValueProps {
  /** Label and value; a value that is null or undefined shows a dash. */
  items: readonly (readonly [label: string, value: ReactNode])[];
  className?: string;
}

/** Names and values under one another, as a description list. */
export function KeyValue({ items, className }: KeyValueProps) {
  return (
    <dl className={cn("grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-1.5 text-table", className)}>
      {items.map(([label, value]) => (
        <Fragment key={label}>
          <dt className="text-subtle">{label}</dt>
          <dd className="min-w-0 break-words tabular-nums">{value ?? <None />}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
