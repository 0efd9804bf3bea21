"use client";

import { Switch as Base } from "@base-ui/react/switch";
import { useId, type ReactNode } from "react";
import { cn } from "./cn";
import { Tooltip } from "./tooltip";

export interface SwitchProps {
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  label?: ReactNode;
  hint?: ReactNode;
  "aria-label"?: string;
  name?: string;
  disabled?: boolean;
  /** Makes it read-only and shows why in a tooltip; it stays focusable so that keyboard users can read it. */
  disabledReason?: string | undefined;
  className?: string;
}

/** Turns something on or off immediately; in a form that is saved later use a `Checkbox`. */
export function Switch({ checked, onCheckedChange, label, hint, className, disabledReason, ...rest }: SwitchProps) {
  const labelId = useId();
  const root = (
    <Base.Root
      {...rest}
      aria-labelledby={label === undefined ? undefined : labelId}
      checked={checked}
      readOnly={disabledReason !== undefined}
      aria-description={disabledReason}
      onCheckedChange={onCheckedChange}
      className={cn(
        "relative inline-flex h-4.5 w-8 shrink-0 rounded-full border border-transparent bg-border-strong p-0.5 transition-colors",
        "data-checked:bg-accent data-disabled:opacity-50 data-readonly:cursor-not-allowed data-readonly:opacity-50",
        label === undefined && className,
      )}
    >
      <Base.Thumb className="size-3 translate-y-px rounded-full bg-surface transition-transform data-checked:translate-x-3.5" />
    </Base.Root>
  );
  const control =
    disabledReason === undefined ? (
      root
    ) : (
      <Tooltip tap content={disabledReason}>
        {root}
      </Tooltip>
    );
  if (label === undefined) return control;
  return (
    <label className={cn("flex items-start justify-between gap-4 text-table", className)}>
      <span className="min-w-0">
        <span id={labelId}>{label}</span>
        {hint !== undefined && <span className="block text-meta text-subtle">{hint}</span>}
      </span>
      <span className="flex h-5 items-center">{control}</span>
    </label>
  );
}
