"use client";

import { useId, type ReactNode } from "react";
import { cn } from "./cn";

export interface CheckboxProps {
  checked: boolean;
  onCheckedChange: (checked: boolean, event: Event) => void;
  /** Indeterminate: some of the items it represents are chosen, not all. */
  indeterminate?: boolean;
  /** Text beside the box; without it `aria-label` is needed. */
  label?: ReactNode;
  hint?: ReactNode;
  "aria-label"?: string;
  name?: string;
  disabled?: boolean;
  tabIndex?: number;
  className?: string;
}

/** A 16 px checkbox in a target of 24 px, with or without its label: the browser's own, as every row of a table has one. */
export function Checkbox(props: CheckboxProps) {
  const { onCheckedChange, indeterminate = false, label, hint, className, ...rest } = props;
  const labelId = useId();
  const box = (
    <input
      type="checkbox"
      {...rest}
      ref={(input) => {
        if (input) input.indeterminate = indeterminate;
      }}
      aria-labelledby={label === undefined ? undefined : labelId}
      onChange={(event) => onCheckedChange(event.target.checked, event.nativeEvent)}
      className={cn("checkbox", label === undefined && className)}
    />
  );
  if (label === undefined) return box;
  return (
    <label className={cn("flex items-start gap-2 text-table", rest.disabled && "opacity-60", className)}>
      <span className="flex h-5 items-center">{box}</span>
      <span className="min-w-0">
        <span id={labelId}>{label}</span>
        {hint !== undefined && <span className="block text-meta text-subtle">{hint}</span>}
      </span>
    </label>
  );
}
