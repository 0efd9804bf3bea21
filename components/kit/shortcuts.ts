"use client";

import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Shortcut {
  /** `j`, `shift+x`, `mod+k` (⌘ or Ctrl), `escape`, or a sequence such as `g d`. */
  keys: string;
  /** What it does, for the cheat sheet. */
  label: string;
  /** Heading in the cheat sheet: "Go to", "List". */
  group: string;
  run: (event: KeyboardEvent) => void;
  /** Also while typing and inside dialogs; only for chords with `mod`. */
  everywhere?: boolean;
  /** Whether it works now; the keys keep their other meaning while it does not. */
  when?: () => boolean;
  /** Works, but is not listed. */
  hidden?: boolean;
  /** Why it does nothing for this person: the cheat sheet lists it with the reason, and `run` says it. */
  disabledReason?: string | undefined;
}

const sequenceMs = 1000;
const registered = new Map<symbol, readonly Shortcut[]>();
const listeners = new Set<() => void>();
let snapshot: readonly Shortcut[] = [];
let pending = { chord: "", at: 0 };

/** The chord of a key press in the notation of `Shortcut.keys`. */
export function toChord(event: Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">): string {
  const key = event.key === " " ? "space" : event.key.toLowerCase();
  const letter = /^[a-z]$/.test(key);
  const named = key.length > 1;
  return [
    (event.metaKey || event.ctrlKey) && "mod",
    event.altKey && "alt",
    // For `?` and the like shift is part of the character.
    event.shiftKey && (letter || named) && "shift",
    key,
  ]
    .filter(Boolean)
    .join("+");
}

const texts = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea";
/** What has keys of its own, such as letters that find an option, but no chords. */
const fields = "input, textarea, select, [role=combobox], [role=listbox]";

/** Whether the person is typing or inside a modal dialog, where keys belong to what has the focus. */
function keysAreTaken(target: EventTarget | null, isPlain: boolean): boolean {
  if (document.querySelector("[role=dialog]:not([data-shortcuts=page]), [role=alertdialog], [role=menu]")) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  const field = target.closest(isPlain ? fields : texts);
  return field !== null && !(field instanceof HTMLInputElement && field.type === "checkbox");
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || ["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  const chord = toChord(event);
  const taken = keysAreTaken(event.target, !chord.startsWith("mod+"));
  const sequence = pending.chord && event.timeStamp - pending.at < sequenceMs ? `${pending.chord} ${chord}` : "";
  pending = { chord: "", at: 0 };
  // The last registration wins: a drawer's keys take precedence over its page's.
  const all = [...registered.values()].reverse().flat();
  const match = (keys: string) =>
    all.find((each) => each.keys === keys && (!taken || each.everywhere) && each.when?.() !== false);
  const found = (sequence && match(sequence)) || match(chord);
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (!taken && all.some((each) => each.keys.startsWith(`${chord} `))) {
    pending = { chord, at: event.timeStamp };
  }
}

function changed(): void {
  snapshot = [...registered.values()].flat();
  listeners.forEach((listener) => listener());
}

function register(id: symbol, shortcuts: readonly Shortcut[]): () => void {
  if (registered.size === 0) window.addEventListener("keydown", onKeyDown);
  registered.set(id, shortcuts);
  changed();
  return () => {
    registered.delete(id);
    if (registered.size === 0) window.removeEventListener("keydown", onKeyDown);
    changed();
  };
}

/** Binds keys while the component is mounted. They do nothing while the person types or a dialog is open. */
export function useShortcuts(shortcuts: readonly Shortcut[], enabled = true): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  const signature = shortcuts
    .map((each) => [each.keys, each.label, each.group, each.everywhere, each.hidden, each.disabledReason].join("|"))
    .join("\n");
  useEffect(() => {
    if (!enabled || signature === "") return;
    const stable = latest.current.map((each, at) => ({
      ...each,
      run: (event: KeyboardEvent) => latest.current[at]?.run(event),
      when: () => latest.current[at]?.when?.() !== false,
    }));
    return register(Symbol(), stable);
  }, [signature, enabled]);
}

const none: readonly Shortcut[] = [];

/** Every shortcut in force now, for the cheat sheet. */
export function useRegisteredShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => snapshot,
    () => none,
  );
}
