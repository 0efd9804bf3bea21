"use client";

import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import Link from "next/link";
import { Fragment, type ReactElement, type ReactNode } from "react";
import { cn } from "./cn";
import { optionStyles, popupStyles } from "./control-styles";
import { KeyHint } from "./kbd";

export interface MenuAction {
  label: string;
  icon?: ReactNode;
  hint?: string;
  keys?: string;
  onSelect?: () => void;
  href?: string;
  danger?: boolean;
  disabled?: boolean;
  /** Makes it one of several choices; a tick marks the chosen. */
  checked?: boolean;
}

/** Actions, with `"separator"` between groups and `{ heading }` above them. */
export type MenuItem = MenuAction | "separator" | { heading: string };

export interface MenuProps {
  trigger: ReactElement<Record<string, unknown>>;
  items: readonly MenuItem[];
  /** Anything above the items, such as who is signed in. */
  header?: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
  align?: "start" | "center" | "end";
  defaultOpen?: boolean;
  className?: string;
}

function Line({ item }: { item: MenuAction }) {
  const className = cn(optionStyles, item.danger && "text-critical-text");
  const content = (
    <>
      {item.icon}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{item.label}</span>
        {item.hint && <span className="truncate text-meta text-subtle">{item.hint}</span>}
      </span>
      {item.keys && <KeyHint keys={item.keys} decorative />}
    </>
  );
  if (item.href !== undefined) {
    return (
      <Base.LinkItem render={<Link href={item.href} />} closeOnClick className={className} onClick={item.onSelect}>
        {content}
      </Base.LinkItem>
    );
  }
  if (item.checked !== undefined) {
    return (
      <Base.CheckboxItem
        checked={item.checked}
        disabled={item.disabled}
        closeOnClick
        onCheckedChange={item.onSelect}
        className={className}
      >
        {content}
        <Base.CheckboxItemIndicator keepMounted className="text-accent-text data-unchecked:invisible">
          <Check aria-hidden />
        </Base.CheckboxItemIndicator>
      </Base.CheckboxItem>
    );
  }
  return (
    <Base.Item disabled={item.disabled} onClick={item.onSelect} className={className}>
      {content}
    </Base.Item>
  );
}

/** A menu of actions or links behind a button. */
export function Menu({ trigger, items, header, side = "bottom", align = "end", defaultOpen, className }: MenuProps) {
  return (
    <Base.Root defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner side={side} align={align} sideOffset={4} collisionPadding={8} className="z-50">
          <Base.Popup
            className={cn(popupStyles, "max-h-(--available-height) min-w-48 max-w-80 overflow-y-auto p-1", className)}
          >
            {header}
            {items.map((item, at) => {
              if (item === "separator") return <Base.Separator key={at} className="mx-1 my-1 h-px bg-border" />;
              if ("heading" in item) {
                return (
                  <div key={at} className="px-2 pt-1.5 pb-1 text-meta text-subtle">
                    {item.heading}
                  </div>
                );
              }
              return (
                <Fragment key={item.label}>
                  <Line item={item} />
                </Fragment>
              );
            })}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
