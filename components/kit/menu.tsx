"use client";

import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import Link from "next/link";
import { cloneElement, Fragment, useRef, useState, type ReactElement, type ReactNode, type RefObject } from "react";
import { Button, type ButtonProps } from "./button";
import { cn } from "./cn";
import { optionStyles, popupStyles } from "./control-styles";
import { KeyHint } from "./kbd";

interface MenuAction {
  label: string;
  icon?: ReactNode;
  hint?: string;
  keys?: string;
  onSelect?: () => void;
  href?: string;
  danger?: boolean;
  disabled?: boolean;
  /** Disables it and shows why below its label. */
  disabledReason?: string | undefined;
  /** Makes it one of several choices; a tick marks the chosen. */
  checked?: boolean;
}

/** Actions, with `"separator"` between groups and `{ heading }` above them. */
export type MenuItem = MenuAction | "separator" | { heading: string };

export interface MenuProps {
  /** A `Button` or `IconButton`, or another element that can be pressed. */
  trigger: ReactElement<Record<string, unknown>>;
  /** Disables a button as `trigger` and shows why. */
  disabledReason?: string | undefined;
  items: readonly MenuItem[];
  /** Anything above the items, such as who is signed in. */
  header?: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
  align?: "start" | "center" | "end";
  className?: string;
}

/** `repeated`: the line above already shows the same `disabledReason`. */
function Line({ item, repeated }: { item: MenuAction; repeated: boolean }) {
  const className = cn(optionStyles, item.danger && "text-critical-text");
  const hint = item.disabledReason ?? item.hint;
  const disabled = item.disabled || item.disabledReason !== undefined;
  const content = (
    <>
      {item.icon}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{item.label}</span>
        {hint && <span className={repeated ? "sr-only" : "truncate text-meta text-subtle"}>{hint}</span>}
      </span>
      {item.keys && <KeyHint keys={item.keys} decorative />}
    </>
  );
  if (item.href !== undefined && !disabled) {
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
        disabled={disabled}
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
    <Base.Item disabled={disabled} onClick={item.onSelect} className={className}>
      {content}
    </Base.Item>
  );
}

/** A menu of actions or links behind a button. */
export function Menu({ trigger, disabledReason, ...popup }: MenuProps) {
  if (disabledReason !== undefined) return cloneElement(trigger, { disabledReason });
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <MenuPopup {...popup} />
    </Base.Root>
  );
}

export interface LazyMenuProps extends Omit<ButtonProps, "aria-haspopup" | "aria-expanded" | "onClick" | "ref"> {
  "aria-label": string;
  items: () => readonly MenuItem[];
}

/**
 * The same for the rows of a table: a plain button until it is pressed, as a hundred menus take longer to draw than
 * their rows.
 */
export function LazyMenu({ items, ...button }: LazyMenuProps) {
  const [open, setOpen] = useState<boolean | null>(null);
  const anchor = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        {...button}
        ref={anchor}
        title={button["aria-label"]}
        aria-haspopup="menu"
        aria-expanded={open === true}
        data-popup-open={open || undefined}
        onClick={() => setOpen(!open)}
      />
      {open !== null && (
        <Base.Root
          open={open}
          onOpenChange={(next, { event, cancel }) => {
            // The button is outside the menu; its own press is what closes it then.
            if (event.target instanceof Node && anchor.current?.contains(event.target)) cancel();
            else setOpen(next);
          }}
        >
          <MenuPopup anchor={anchor} items={items()} />
        </Base.Root>
      )}
    </>
  );
}

function MenuPopup({
  items,
  header,
  side = "bottom",
  align = "end",
  className,
  anchor,
}: Omit<MenuProps, "trigger" | "disabledReason"> & { anchor?: RefObject<HTMLElement | null> }) {
  return (
    <Base.Portal>
      <Base.Positioner anchor={anchor} side={side} align={align} sideOffset={4} collisionPadding={8} className="z-50">
        <Base.Popup
          finalFocus={anchor}
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
            const above = items[at - 1];
            const repeated =
              typeof above === "object" &&
              "label" in above &&
              item.disabledReason !== undefined &&
              above.disabledReason === item.disabledReason;
            return (
              <Fragment key={item.label}>
                <Line item={item} repeated={repeated} />
              </Fragment>
            );
          })}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}
