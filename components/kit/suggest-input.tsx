"use client";

import { Autocomplete as Base } from "@base-ui/react/autocomplete";
import type { Ref } from "react";
import { cn } from "./cn";
import { controlStyles, optionStyles, popupStyles } from "./control-styles";

export interface SuggestInputProps {
  value: string;
  onValueChange: (value: string) => void;
  suggestions: readonly string[];
  placeholder?: string;
  "aria-label"?: string;
  id?: string;
  name?: string;
  disabled?: boolean;
  className?: string;
  onBlur?: () => void;
  ref?: Ref<HTMLInputElement>;
}

/** Free text that offers what is already in use, such as the types of other devices. Works inside a `Field`. */
export function SuggestInput(props: SuggestInputProps) {
  const { value, onValueChange, suggestions, className, ...rest } = props;
  return (
    <Base.Root items={suggestions} value={value} onValueChange={onValueChange} openOnInputClick>
      <Base.Input {...rest} className={cn(controlStyles, "h-8 w-full min-w-0 px-2.5 text-table", className)} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup className={cn(popupStyles, "w-(--anchor-width) data-empty:hidden")}>
            <Base.List className="max-h-[min(16rem,var(--available-height))] overflow-y-auto p-1 empty:p-0">
              {(suggestion: string) => (
                <Base.Item key={suggestion} value={suggestion} className={optionStyles}>
                  {suggestion}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
