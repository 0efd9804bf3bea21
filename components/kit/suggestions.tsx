"use client";

import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { cn } from "./cn";
import { optionStyles, popupStyles } from "./control-styles";

export interface Suggestion {
  key: string;
  label: ReactNode;
  hint?: ReactNode;
  pick: () => void;
}

/**
 * The list below a text box that owns its own keys: returns `onKeyDown` (true when it used the key), the ARIA
 * attributes for the input and the list to draw. The list shows only while `open` and there is something in it.
 */
export function useSuggestions(options: {
  items: Suggestion[];
  open: boolean;
  label: string;
  autoHighlight?: boolean;
}) {
  const { items, open, label, autoHighlight = true } = options;
  const listId = useId();
  const listRef = useRef<HTMLDivElement>(null);
  const signature = items.map((item) => item.key).join("\n");
  const [highlight, setHighlight] = useState({ signature, index: autoHighlight ? 0 : -1 });
  const index = highlight.signature === signature ? highlight.index : autoHighlight ? 0 : -1;
  const shown = open && items.length > 0;
  const optionId = (at: number) => `${listId}-${at}`;

  // In a panel that scrolls, the list may begin above its end: all of it is brought into view.
  useEffect(() => {
    if (shown) listRef.current?.scrollIntoView({ block: "nearest" });
  }, [shown]);
  useEffect(() => {
    if (shown) listRef.current?.children[index]?.scrollIntoView({ block: "nearest" });
  }, [shown, index]);

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!shown) return false;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      setHighlight({ signature, index: (Math.max(index, step > 0 ? -1 : 0) + step + items.length) % items.length });
    } else if ((event.key === "Enter" || event.key === "Tab") && items[index]) {
      items[index].pick();
    } else return false;
    event.preventDefault();
    return true;
  };

  const inputProps = {
    role: "combobox",
    "aria-expanded": shown,
    "aria-controls": shown ? listId : undefined,
    "aria-autocomplete": "list",
    "aria-activedescendant": shown && index >= 0 ? optionId(index) : undefined,
  } as const;

  const list = shown && (
    <div
      ref={listRef}
      id={listId}
      role="listbox"
      aria-label={label}
      className={cn(
        popupStyles,
        "absolute top-full left-0 z-50 mt-1 max-h-80 w-full max-w-96 min-w-56 animate-appear overflow-y-auto p-1",
      )}
    >
      {items.map((item, at) => (
        <div
          key={item.key}
          id={optionId(at)}
          role="option"
          aria-selected={at === index}
          data-highlighted={at === index ? "" : undefined}
          className={optionStyles}
          onPointerMove={() => setHighlight({ signature, index: at })}
          onPointerDown={(event) => event.preventDefault()}
          onClick={item.pick}
        >
          <span className="min-w-0 flex-1 truncate">{item.label}</span>
          {item.hint !== undefined && <span className="shrink-0 text-meta text-subtle">{item.hint}</span>}
        </div>
      ))}
    </div>
  );
  return { onKeyDown, inputProps, list, shown };
}
