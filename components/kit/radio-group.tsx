"use client";

import { Radio } from "@base-ui/react/radio";
import { RadioGroup as Base } from "@base-ui/react/radio-group";
import { useId } from "react";
import { cn } from "./cn";
import type { Option } from "./select";

export interface RadioGroupProps<Value extends string> {
  options: readonly Option<Value>[];
  value: Value | null;
  onValueChange: (value: Value) => void;
  /** `list` puts one under the other with hints; `segments` is a compact row of short words. */
  layout?: "list" | "segments";
  /** Gets the focus when its dialog opens; of segments only. */
  first?: boolean;
  "aria-label"?: string;
  name?: string;
  disabled?: boolean;
  className?: string;
}

/** Picks one of two to five values that should all be visible. */
export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { options, value, onValueChange, layout = "list", first = false, className, ...rest } = props;
  const id = useId();
  const segments = layout === "segments";
  return (
    <Base
      {...rest}
      value={value}
      onValueChange={(next) => onValueChange(next as Value)}
      className={cn(
        segments ? "inline-flex rounded-panel border border-border-strong bg-background p-0.5" : "flex flex-col gap-2",
        className,
      )}
    >
      {options.map((option, at) =>
        segments ? (
          <Radio.Root
            key={option.value}
            value={option.value}
            disabled={option.disabled}
            nativeButton
            data-first={(first && at === 0) || undefined}
            render={<button type="button" />}
            className="flex h-6.5 flex-1 items-center justify-center gap-1.5 rounded-control px-2.5 text-table whitespace-nowrap text-muted transition-colors hover:text-foreground data-checked:bg-raised data-checked:text-foreground data-checked:ring-1 data-checked:ring-border-strong [&_svg]:size-4"
          >
            {option.icon}
            {option.label}
          </Radio.Root>
        ) : (
          <label key={option.value} className="flex items-start gap-2 text-table">
            <span className="flex h-5 items-center">
              <Radio.Root
                value={option.value}
                disabled={option.disabled}
                aria-labelledby={`${id}-${option.value}`}
                className="flex size-4 shrink-0 items-center justify-center rounded-full border border-border-strong bg-raised transition-colors hover:border-subtle data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
              >
                <Radio.Indicator className="size-1.5 rounded-full bg-accent-foreground" />
              </Radio.Root>
            </span>
            <span className="min-w-0">
              <span id={`${id}-${option.value}`}>{option.label}</span>
              {option.hint && <span className="block text-meta text-subtle">{option.hint}</span>}
            </span>
          </label>
        ),
      )}
    </Base>
  );
}
