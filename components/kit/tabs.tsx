"use client";

import { Tabs as Base } from "@base-ui/react/tabs";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { ReactNode } from "react";
import { cn } from "./cn";

interface Tab<Value extends string = string> {
  value: Value;
  label: ReactNode;
  /** A count or mark after the label. */
  badge?: ReactNode;
  content: ReactNode;
}

export interface TabsProps<Value extends string> {
  tabs: readonly Tab<Value>[];
  value?: Value;
  onValueChange?: (value: Value) => void;
  /** Names the row of tabs. */
  label: string;
  /** `page` runs edge to edge below a page header; `inline` sits inside a panel. */
  layout?: "page" | "inline";
  className?: string;
}

/** Keeps in `data-cut` at which ends of a row, "start" and "end", tabs are cut off, for the row to fade there. */
function markCut(row: HTMLElement | null) {
  if (!row) return;
  const mark = () => {
    const seen = row.getBoundingClientRect();
    const tabs = Array.from(row.querySelectorAll("[role=tab]"), (tab) => tab.getBoundingClientRect());
    const cut = [
      tabs.some(({ left }) => left < seen.left - 1) && "start",
      tabs.some(({ right }) => right > seen.right + 1) && "end",
    ];
    row.dataset["cut"] = cut.filter(Boolean).join(" ");
  };
  const observer = new ResizeObserver(mark);
  observer.observe(row);
  for (const tab of row.children) observer.observe(tab);
  row.addEventListener("scroll", mark, { passive: true });
  return () => {
    observer.disconnect();
    row.removeEventListener("scroll", mark);
  };
}

/** Tabs; arrow keys move between them. For tabs of a page keep the value in the address with `useTab`. */
export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { tabs, value, onValueChange, label, layout = "inline", className } = props;
  return (
    <Base.Root
      value={value}
      defaultValue={value === undefined ? tabs[0]?.value : undefined}
      onValueChange={(next) => onValueChange?.(next as Value)}
      className={cn("flex min-h-0 min-w-0 flex-col", className)}
    >
      <Base.List
        ref={markCut}
        aria-label={label}
        activateOnFocus
        className={cn(
          "relative flex shrink-0 gap-4 overflow-x-auto overflow-y-hidden border-b [scrollbar-width:none]",
          "data-[cut~=end]:mask-r-from-[calc(100%-2.5rem)] data-[cut~=start]:mask-l-from-[calc(100%-2.5rem)]",
          // Also beside a tab that is scrolled to.
          layout === "page" && "scroll-px-4 px-4 sm:scroll-px-6 sm:px-6",
        )}
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="flex h-9 items-center gap-1.5 rounded-control text-table whitespace-nowrap text-muted transition-colors -outline-offset-2! hover:text-foreground data-active:font-medium data-active:text-foreground"
          >
            {tab.label}
            {tab.badge !== undefined && <span className="text-meta text-subtle tabular-nums">{tab.badge}</span>}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute bottom-0 left-(--active-tab-left) h-0.5 w-(--active-tab-width) bg-accent transition-[left,width]" />
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.value}
          value={tab.value}
          className={cn("min-h-0 min-w-0 flex-1", layout === "page" ? "flex flex-col" : "pt-3")}
        >
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}

/** The open tab of a page, kept in the address as `?tab=`; the first value is the default and stays out of it. */
export function useTab<Value extends string>(values: readonly [Value, ...Value[]]) {
  return useQueryState("tab", parseAsStringLiteral(values).withDefault(values[0]).withOptions({ history: "push" }));
}
