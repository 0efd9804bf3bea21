"use client";

import { Tabs } from "@base-ui/react/tabs";
import { cn } from "./cn";
import { CopyButton } from "./copy-button";

export interface CodeBlockProps {
  code: string;
  /** Its caption: "curl", "fleet.env". */
  label?: string;
  wrap?: boolean;
  className?: string;
}

const preStyles = "overflow-auto px-3 py-2.5 font-mono text-meta leading-5 text-foreground";

/** A block of text for a terminal or file, with a Copy button. */
export function CodeBlock({ code, label, wrap = false, className }: CodeBlockProps) {
  return (
    <div className={cn("min-w-0 overflow-hidden rounded-panel border bg-background", className)}>
      {label && (
        <div className="flex h-8 items-center justify-between border-b pr-0.5 pl-3 text-meta text-muted">
          {label}
          <CopyButton text={code} name={`Copy ${label}`} />
        </div>
      )}
      {/* The button has room of its own: over the code it would cover some of it. */}
      <div className="flex items-start">
        <pre
          tabIndex={0}
          aria-label={label ?? "Code"}
          className={cn(preStyles, "min-w-0 flex-1 -outline-offset-2!", wrap && "break-all whitespace-pre-wrap")}
        >
          <code>{code}</code>
        </pre>
        {!label && <CopyButton text={code} className="m-1 shrink-0" />}
      </div>
    </div>
  );
}

export interface CodeTabsProps {
  /** The alternatives, one per tab. */
  tabs: readonly { label: string; code: string }[];
  label: string;
  className?: string;
}

/** The same thing for several tools, one tab each: curl, Python, systemd. */
export function CodeTabs({ tabs, label, className }: CodeTabsProps) {
  return (
    <Tabs.Root
      defaultValue={tabs[0]?.label}
      className={cn("min-w-0 overflow-hidden rounded-panel border bg-background", className)}
    >
      <Tabs.List
        aria-label={label}
        className="relative flex h-8 items-center gap-3 overflow-x-auto overflow-y-hidden border-b px-3 [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <Tabs.Tab
            key={tab.label}
            value={tab.label}
            className="h-8 rounded-control text-meta whitespace-nowrap text-muted -outline-offset-2! hover:text-foreground data-active:font-medium data-active:text-foreground"
          >
            {tab.label}
          </Tabs.Tab>
        ))}
        <Tabs.Indicator className="absolute bottom-0 left-(--active-tab-left) h-0.5 w-(--active-tab-width) bg-accent" />
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.label} value={tab.label} className="flex items-start -outline-offset-2!">
          <pre
            tabIndex={0}
            aria-label={tab.label}
            className={cn(preStyles, "max-h-72 min-w-0 flex-1 -outline-offset-2!")}
          >
            <code>{tab.code}</code>
          </pre>
          <CopyButton text={tab.code} name={`Copy ${tab.label}`} className="m-1 shrink-0" />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
