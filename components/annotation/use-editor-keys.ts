"use client";

import { useEffect, useState, type RefObject } from "react";
import { useLatest } from "@/components/kit/latest";
import { toChord } from "@/components/kit/shortcuts";
import { keyCommands, toEditorChord, type KeyActions } from "./key-commands";
import { chooseLabel } from "./store/commands";
import type { EditorStore } from "./store/editor-store";

/** Where keys belong to something else: fields, menus, and everything while a dialog is open. */
const fields =
  "input:not([type=checkbox], [type=range]), textarea, select, [contenteditable], [role=combobox], [role=menu]";
const dialogs = "[role=dialog], [role=alertdialog], [role=menu]";
/** Keys that buttons and lists use themselves. */
const ownKeys = new Set(["enter", "shift+enter", "space", "tab", "shift+tab"]);

function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector(dialogs)) return true;
  return target instanceof HTMLElement && target.closest(fields) !== null;
}

/**
 * Binds the editor's keys. Returns whether Space is held, during which the picture is moved. `leave`: another picture is shown
 * in place of the item, to which all but looking around leads back, so that no key changes what nobody sees.
 */
export function useEditorKeys(
  store: EditorStore,
  stage: RefObject<HTMLElement | null>,
  actions: KeyActions,
  leave: (() => void) | null,
): boolean {
  const [isSpaceHeld, setSpaceHeld] = useState(false);
  const onKeyDown = useLatest((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || isTaken(event.target)) return;
    const chord = toEditorChord(event, toChord);
    const isOnStage = event.target === stage.current || event.target === document.body;
    if (isOnStage && chord === "space") {
      if (!event.repeat) setSpaceHeld(true);
      return event.preventDefault();
    }
    const own = store.activeLabels.find((label) => label.key === chord);
    if (own && leave) {
      leave();
      return event.preventDefault();
    }
    if (own) {
      chooseLabel(store, own.id);
      return event.preventDefault();
    }
    if (!isOnStage && ownKeys.has(chord)) return;
    const command = keyCommands.find(({ keys, onStage }) => keys.includes(chord) && (isOnStage || !onStage));
    // The shell's sequences begin with it; while somebody draws, a slip must not leave the page.
    if (chord === "g") return event.preventDefault();
    if (leave && command && command.group !== "Look") {
      leave();
      if (command.group !== "Tools") return event.preventDefault();
    }
    if (!command || (event.target === document.body && chord.endsWith("tab"))) return;
    if (command.run(store, event, actions) !== false) event.preventDefault();
  });
  const onKeyUp = useLatest((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === "h") store.hideAll(false);
    if (event.key !== " ") return;
    setSpaceHeld(false);
    if (leave || !store.cursor || isTaken(event.target)) return;
    store.send({ type: "press", at: store.cursor, shift: event.shiftKey, alt: event.altKey });
    store.send({ type: "release", at: store.cursor, shift: event.shiftKey, alt: event.altKey });
  });
  const onBlur = useLatest(() => {
    setSpaceHeld(false);
    store.hideAll(false);
  });
  useEffect(() => {
    // Before the shell's, which listen on the window.
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener("keyup", onKeyUp);
    addEventListener("blur", onBlur);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("keyup", onKeyUp);
      removeEventListener("blur", onBlur);
    };
  }, [onKeyDown, onKeyUp, onBlur]);
  return isSpaceHeld;
}
