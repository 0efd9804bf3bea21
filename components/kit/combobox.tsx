"use client";

import { Combobox as Base } from "@base-ui/react/combobox";
import { Check, ChevronDown, X } from "lucide-react";
import { cn } from "./cn";
import { controlStyles, optionStyles, popupStyles } from "./control-styles";
import type { Option } from "./select";

export interface ComboboxProps {
  options: readonly Option[];
  value: string | null;
  onValueChange: (value: string | null) => void;
  /** Called as the person types, for options that come from the server; filtering is then yours. */
  onSearch?: (text: string) => void;
  loading?: boolean;
  clearable?: boolean;
  placeholder?: string;
  emptyText?: string;
  /** For one that takes the place of a plain box: it takes the focus, with what was typed there, open if that was pressed. */
  begins?: { typed: string; isOpen: boolean };
  "aria-label"?: string;
  id?: string;
  name?: string;
  disabled?: boolean;
  className?: string;
}

/** Picks one value out of many by typing. For free text with suggestions see `SuggestInput`. */
export function Combobox(props: ComboboxProps) {
  const { options, value, onValueChange, onSearch, loading = false, clearable = false, className } = props;
  const { placeholder = "Search", emptyText = "No match", begins, id, name, disabled } = props;
  const chosen = options.find((option) => option.value === value) ?? null;
  return (
    <Base.Root
      items={options}
      value={chosen}
      onValueChange={(option) => onValueChange(option?.value ?? null)}
      onInputValueChange={(text, { reason }) => reason === "input-change" && onSearch?.(text)}
      filter={onSearch ? null : undefined}
      isItemEqualToValue={(a, b) => a.value === b.value}
      name={name}
      disabled={disabled}
      defaultInputValue={begins?.typed}
      defaultOpen={begins?.isOpen}
      autoHighlight
    >
      <Base.InputGroup className={cn("relative flex w-full min-w-0 items-center", className)}>
        <Base.Input
          id={id}
          aria-label={props["aria-label"]}
          placeholder={placeholder}
          autoFocus={begins !== undefined}
          className={cn(controlStyles, "h-8 w-full min-w-0 pr-14 pl-2.5 text-table")}
        />
        <span className="absolute right-1 flex items-center text-subtle">
          {clearable && (
            <Base.Clear aria-label="Clear" className="flex size-6 items-center justify-center rounded-control">
              <X aria-hidden className="size-3.5" />
            </Base.Clear>
          )}
          <Base.Trigger aria-label="Show options" className="flex size-6 items-center justify-center rounded-control">
            <ChevronDown aria-hidden className="size-4" />
          </Base.Trigger>
        </span>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup className={cn(popupStyles, "w-(--anchor-width) min-w-48")}>
            <Base.Empty className="px-3 text-table text-subtle not-empty:py-3">
              {loading ? "Searching…" : emptyText}
            </Base.Empty>
            <Base.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto p-1 empty:p-0">
              {(option: Option) => (
                <Base.Item key={option.value} value={option} disabled={option.disabled} className={optionStyles}>
                  {option.icon}
                  <span className="flex min-w-0 flex-1 flex-col">
                    <span className="truncate">{option.label}</span>
                    {option.hint && <span className="truncate text-meta text-subtle">{option.hint}</span>}
                  </span>
                  <Base.ItemIndicator className="text-accent-text">
                    <Check aria-hidden />
                  </Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
