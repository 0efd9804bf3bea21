"use client";

import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn";
import { controlStyles, optionStyles, popupStyles } from "./control-styles";

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  hint?: string;
  icon?: ReactNode;
  disabled?: boolean;
}

export interface SelectProps<Value extends string> {
  options: readonly Option<Value>[];
  value: Value | null;
  onValueChange: (value: Value) => void;
  placeholder?: string;
  /** Needed where no `Field` label names it. */
  "aria-label"?: string;
  id?: string;
  name?: string;
  disabled?: boolean;
  size?: "sm" | "md";
  className?: string;
}

/** Picks one of a few fixed values; use `Combobox` above about ten. Works inside a `Field`. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { options, value, onValueChange, placeholder = "Choose", size = "md", className, ...rest } = props;
  return (
    <Base.Root
      items={options}
      value={value}
      onValueChange={(next) => next !== null && onValueChange(next)}
      name={rest.name}
      disabled={rest.disabled}
    >
      <Base.Trigger
        id={rest.id}
        aria-label={rest["aria-label"]}
        className={cn(
          controlStyles,
          "flex w-full min-w-0 items-center justify-between gap-2 pr-2 pl-2.5 text-left text-table",
          size === "sm" ? "h-7" : "h-8",
          className,
        )}
      >
        <Base.Value placeholder={placeholder} className="truncate data-placeholder:text-subtle" />
        <Base.Icon className="text-subtle">
          <ChevronDown aria-hidden className="size-4" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} collisionPadding={8} className="z-50">
          <Base.Popup className={cn(popupStyles, "max-w-(--available-width) min-w-(--anchor-width)")}>
            <Base.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto p-1">
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  disabled={option.disabled}
                  className={cn(optionStyles, "pr-3")}
                >
                  {option.icon}
                  <span className="flex min-w-0 flex-1 flex-col">
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.hint && <span className="text-meta text-subtle">{option.hint}</span>}
                  </span>
                  <Base.ItemIndicator className="text-accent-text">
                    <Check aria-hidden />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
