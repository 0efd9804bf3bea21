"use client";

import { Calendar, Search, X } from "lucide-react";
import { Suspense, useRef, useState, type KeyboardEvent } from "react";
import { cn } from "./cn";
import { describeTime, findFilters, parseFilterText, withValue, type FilterDefinition, type Filters } from "./filters";
import { Kbd } from "./kbd";
import { lazyDialog } from "./lazy-dialog";
import { useTimeZone } from "./preferences-provider";
import { useShortcuts } from "./shortcuts";
import { useSuggestions, type Suggestion } from "./suggestions";

const TimeFilterDialog = lazyDialog(async () => (await import("./time-filter-dialog")).TimeFilterDialog);

export interface FilterBarProps {
  definitions: readonly FilterDefinition[];
  /** From `useFilters(definitions, textKey)`. */
  filters: Filters;
  /** The parameter that free text goes to, such as `search`; without it only `key:value` is taken. */
  textKey?: string;
  placeholder?: string;
  /** Names the box: "Filter devices". */
  label: string;
  className?: string;
}

/** Filters as chips with typeahead: type `status:off`, Enter. `/` focuses it, Backspace removes the last chip. */
export function FilterBar({ definitions, filters, textKey, placeholder = "Filter", label, className }: FilterBarProps) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const { zone } = useTimeZone();
  const times = definitions.filter(({ isTime }) => isTime);
  const input = useRef<HTMLInputElement>(null);

  useShortcuts([{ keys: "/", label: "Focus the filter", group: "List", run: () => input.current?.focus() }]);

  const { definition, rest } = parseFilterText(text, definitions);

  const commit = (target: FilterDefinition, value: string) => {
    filters.set(target.key, withValue(target, filters.values[target.key] ?? null, value));
    setText("");
  };
  const start = (key: string) => {
    setText(`${key}:`);
    input.current?.focus();
  };

  const toSuggestion = (each: FilterDefinition): Suggestion => ({
    key: each.key,
    label: each.label,
    hint: <code>{each.example ? `${each.key}:${each.example}` : `${each.key}:`}</code>,
    pick: () => start(each.key),
  });
  const searchFor = (key: string): Suggestion => ({
    key: "text",
    label: `Search for “${rest}”`,
    pick: () => {
      filters.set(key, rest);
      setText("");
    },
  });
  const found = findFilters(definitions, rest);
  const items: Suggestion[] = definition
    ? valueSuggestions(definition, rest, filters, zone, (value) => commit(definition, value))
    : [
        ...found.meant.map(toSuggestion),
        ...(textKey && rest ? [searchFor(textKey)] : []),
        ...found.others.map(toSuggestion),
      ];
  const list = useSuggestions({ items, open, label: "Filter suggestions" });

  const chips = [...definitions, ...(textKey ? [{ key: textKey, label: "Search" }] : [])].flatMap(
    (each: FilterDefinition) => {
      const value = filters.values[each.key];
      if (value === null || value === undefined) return [];
      const parts = each.multiple ? value.split(",") : [value];
      return parts.map((part) => ({ definition: each, part, rest: parts.filter((other) => other !== part) }));
    },
  );

  const remove = (chip: (typeof chips)[number] | undefined) => {
    if (chip) filters.set(chip.definition.key, chip.rest.length > 0 ? chip.rest.join(",") : null);
    input.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Tab" && text === "") return setOpen(false);
    if (list.onKeyDown(event)) return;
    if (event.key === "Backspace" && text === "") remove(chips.at(-1));
    else if (event.key === "Escape") {
      event.stopPropagation();
      if (text) setText("");
      else input.current?.blur();
    }
  };

  return (
    <div
      className={cn(
        "relative flex min-h-8 min-w-0 flex-1 flex-wrap items-center gap-1 rounded-panel border border-border-strong bg-raised py-0.5 pr-1 pl-8 transition-colors",
        "has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-2 has-[input:focus-visible]:outline-accent",
        className,
      )}
      onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
    >
      <Search aria-hidden className="absolute top-2 left-2.5 size-3.5 text-subtle" />
      {chips.map((chip) => (
        <span
          key={`${chip.definition.key}:${chip.part}`}
          className="inline-flex h-6 max-w-full items-center rounded-control bg-selected pl-1.5 text-meta"
        >
          <button
            type="button"
            className="flex min-w-0 items-center gap-1 rounded-control"
            onClick={() => start(chip.definition.key)}
          >
            <span className="text-muted">{chip.definition.label}</span>
            <span className="truncate font-medium">{describeValue(chip.definition, chip.part, zone)}</span>
          </button>
          <button
            type="button"
            aria-label={`Remove filter ${chip.definition.label}: ${chip.part}`}
            className="flex size-6 items-center justify-center rounded-control text-muted hover:text-foreground"
            onClick={() => remove(chip)}
          >
            <X aria-hidden className="size-3" />
          </button>
        </span>
      ))}
      <input
        {...list.inputProps}
        ref={input}
        aria-label={label}
        value={text}
        placeholder={chips.length === 0 ? placeholder : undefined}
        autoComplete="off"
        spellCheck={false}
        className="h-6 min-w-20 flex-1 bg-transparent text-table outline-none"
        onChange={(event) => {
          setText(event.target.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {chips.length === 0 && text === "" && (
        <span className="pr-1 max-sm:hidden">
          <Kbd>/</Kbd>
        </span>
      )}
      {filters.count > 1 && (
        <button
          type="button"
          className="h-6 rounded-control px-1.5 text-meta text-muted hover:bg-hover hover:text-foreground"
          onClick={filters.clear}
        >
          Clear
        </button>
      )}
      {times.length > 0 && (
        <button
          type="button"
          aria-label="Choose times"
          title="Choose times"
          className="flex size-6 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-foreground"
          onClick={() => setChoosing(true)}
        >
          <Calendar aria-hidden className="size-3.5" />
        </button>
      )}
      {list.list}
      <Suspense>
        {isChoosing && (
          <TimeFilterDialog
            definitions={times}
            values={filters.values}
            onApply={(values) => {
              for (const [key, value] of Object.entries(values)) filters.set(key, value);
            }}
            onClose={() => setChoosing(false)}
          />
        )}
      </Suspense>
    </div>
  );
}

/** A value as its chip shows it. */
function describeValue({ options, isTime }: FilterDefinition, value: string, zone: string): string {
  if (isTime) return describeTime(value, zone);
  return options?.find((option) => option.value === value)?.label ?? value;
}

function valueSuggestions(
  definition: FilterDefinition,
  rest: string,
  filters: Filters,
  zone: string,
  commit: (value: string) => void,
): Suggestion[] {
  const read = (text: string) => (definition.read ? definition.read(text, zone) : text);
  const taken = new Set((filters.values[definition.key] ?? "").split(","));
  const needle = rest.toLowerCase();
  const known =
    definition.options ?? definition.suggest?.(rest).map((value) => ({ value, label: value, hint: undefined })) ?? [];
  const items = known
    .filter(
      (option) => !taken.has(option.value) && `${option.value} ${option.label ?? ""}`.toLowerCase().includes(needle),
    )
    .slice(0, 20)
    .map((option) => ({
      key: option.value,
      label: option.label ?? option.value,
      hint: option.hint,
      pick: () => commit(read(option.value) ?? option.value),
    }));
  const exact = items.some((item) => item.key === rest);
  const meant = definition.options || exact || rest === "" ? null : read(rest);
  if (meant !== null) {
    items.unshift({
      key: `=${rest}`,
      label: definition.read
        ? `${definition.label} ${describeValue(definition, meant, zone)}`
        : `${definition.label} is “${rest}”`,
      hint: undefined,
      pick: () => commit(meant),
    });
  }
  return items;
}
