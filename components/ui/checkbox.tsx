"use client";

import { Checkbox as Base } from "@base-ui/react/checkbox";
import { Check, Minus } from "lucide-react";
import { useId, type ReactNode } from "react";
import { cn } from "./cn";

export interface CheckboxProps {
  checked: boolean;
  onCheckedChange: (checked: boolean, event: Event) => void;
  /** Some of what it stands for is chosen, not all. */
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

/** A 16 px checkbox, with or without its label. */
export function Checkbox(props: CheckboxProps) {
  const { checked, onCheckedChange, indeterminate = false, label, hint, className, ...rest } = props;
  const labelId = useId();
  const box = (
    <Base.Root
      {...rest}
      aria-labelledby={label === undefined ? undefined : labelId}
      checked={checked}
      indeterminate={indeterminate}
      onCheckedChange={(next, { event }) => onCheckedChange(next, event)}
      className={cn(
        "inline-flex size-4 shrink-0 items-center justify-center rounded-control border border-border-strong bg-raised transition-colors",
        "hover:not-data-disabled:border-subtle data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50",
        "data-indeterminate:border-accent data-indeterminate:bg-accent",
        label === undefined && className,
      )}
    >
      <Base.Indicator className="text-accent-foreground">
        {indeterminate ? (
          <Minus aria-hidden className="size-3" strokeWidth={3} />
        ) : (
          <Check aria-hidden className="size-3" strokeWidth={3} />
        )}
      </Base.Indicator>
    </Base.Root>
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
