"use client";

import { useEffect, useRef, useState, type RefObject } from "react";
import { focusSoon } from "@/components/kit/focus-soon";
import { useShortcuts } from "@/components/kit/shortcuts";

export interface DataTableKeysOptions {
  /** Keys of the loaded rows in order. */
  keys: readonly string[];
  scroller: RefObject<HTMLElement | null>;
  scrollToIndex: (index: number) => void;
  selected: string | null;
  onSelect?: (key: string | null) => void;
  /** What is selected is shown beside the list, not over it. */
  beside: boolean;
  onOpenPage?: (key: string) => void;
  /** What Enter does while no row is chosen. */
  onEnter?: { label: string; run: () => void } | undefined;
  ticked: ReadonlySet<string>;
  setTicked?: (ticked: ReadonlySet<string>) => void;
}

/**
 * The table's keyboard: j and k (or arrows) move, Space opens the drawer, Enter the page, x ticks, Shift+x ticks a
 * range, Esc closes the drawer or clears the ticks. While the drawer is open j and k move the drawer along.
 */
export function useDataTableKeys(options: DataTableKeysOptions) {
  const { keys, scroller, scrollToIndex, selected, onSelect, beside, onOpenPage, onEnter, ticked, setTicked } = options;
  const [active, setActive] = useState<string | null>(null);
  const anchor = useRef<string | null>(null);
  const current = selected ?? active;
  const at = current === null ? -1 : keys.indexOf(current);
  // Held keys arrive faster than React draws, so the next step starts from here and not from what is on screen.
  const cursor = useRef(at);
  useEffect(() => {
    cursor.current = at;
  }, [at]);
  const hasFocus = () => scroller.current?.querySelector("tr:focus") != null;

  const focusRow = (key: string) => {
    const index = cursor.current;
    // A row far away is drawn only after the scroll; by then the focus may be elsewhere.
    focusSoon(() =>
      cursor.current === index
        ? scroller.current?.querySelector<HTMLElement>(`tr[data-row="${CSS.escape(key)}"]`)
        : null,
    );
  };

  const move = (to: number) => {
    const index = Math.max(0, Math.min(keys.length - 1, to));
    const key = keys[index];
    if (key === undefined) return;
    cursor.current = index;
    setActive(key);
    scrollToIndex(index);
    if (selected !== null) onSelect?.(key);
    if (selected === null || beside) focusRow(key);
  };

  /** Ticks one row, or all between the last ticked and this one. */
  const tick = (key: string, on: boolean, range: boolean) => {
    const next = new Set(ticked);
    const from = anchor.current === null ? -1 : keys.indexOf(anchor.current);
    const to = keys.indexOf(key);
    const span = range && from >= 0 ? keys.slice(Math.min(from, to), Math.max(from, to) + 1) : [key];
    for (const each of span) {
      if (on) next.add(each);
      else next.delete(each);
    }
    anchor.current = key;
    setTicked?.(next);
  };

  const group = "List";
  const canTick = setTicked !== undefined;
  const rowKeys = [
    { keys: "j", label: "Next row", group, run: () => move(cursor.current + 1) },
    { keys: "k", label: "Previous row", group, run: () => move(cursor.current - 1) },
    {
      keys: "enter",
      label: onEnter ? `Open the row's page; without a row: ${onEnter.label.toLowerCase()}` : "Open the row's page",
      group,
      run: (event: KeyboardEvent) => {
        const target = event.target instanceof Element ? event.target.closest("button, a") : null;
        if (target instanceof HTMLElement) target.click();
        else if (cursor.current >= 0) (onOpenPage ?? onSelect)?.(keys[cursor.current] ?? "");
        else onEnter?.run();
      },
    },
    ...(onSelect
      ? [
          {
            keys: "space",
            label: beside ? "Show the row beside the list" : "Open the row in the drawer",
            group,
            run: (event: KeyboardEvent) => {
              const target = event.target instanceof Element ? event.target.closest("button, a, input") : null;
              if (target instanceof HTMLElement) target.click();
              else if (active !== null && hasFocus()) onSelect(active);
            },
          },
        ]
      : []),
    ...(canTick
      ? [
          {
            keys: "x",
            label: "Select the row",
            group,
            run: () => current !== null && tick(current, !ticked.has(current), false),
          },
          {
            keys: "shift+x",
            label: "Select up to the row",
            group,
            run: () => current !== null && tick(current, true, true),
          },
        ]
      : []),
    {
      keys: "escape",
      label: onSelect && !beside ? "Close the drawer, clear the selection" : "Clear the selection",
      group,
      run: () => {
        if (selected !== null && !beside) {
          onSelect?.(null);
        } else if (ticked.size > 0) setTicked?.(new Set());
      },
    },
  ];
  useShortcuts(rowKeys);

  return { active: active !== null && keys.includes(active) ? active : (keys[0] ?? null), setActive, move, at, tick };
}
