"use client";

/**
 * Keeps what is typed between the press that opens the palette and the moment it can take text: no letter is lost, and
 * none is taken for a shortcut of the page beneath.
 */
let typed: string | null = null;

function onKeyDown(event: KeyboardEvent): void {
  // A dialog has opened, be it one that says why there is no palette: keys are its own.
  if (typed === null || document.querySelector("[role=dialog], [role=alertdialog]")) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Backspace") typed = typed.slice(0, -1);
  else if (event.key.length === 1) typed += event.key;
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** From now on keys are kept until `stopKeeping`. */
export function keepTyping(): void {
  typed = "";
  window.addEventListener("keydown", onKeyDown, { capture: true });
}

/** What was typed since. */
export const readTyped = (): string => typed ?? "";

/** Keys go where they belong again, and what was typed is forgotten. */
export function stopKeeping(): void {
  typed = null;
  window.removeEventListener("keydown", onKeyDown, { capture: true });
}
