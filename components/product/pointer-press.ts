/** Ends a press: a press that becomes a drag ends without `mouseup`. */
const ends = ["mouseup", "dragend"] as const;
let pressed = false;

if (typeof window !== "undefined") {
  addEventListener("mousedown", () => (pressed = true), { capture: true });
  for (const end of ends) addEventListener(end, () => (pressed = false), { capture: true });
}

/**
 * Calls back now, or, while a button of the mouse is down, after the click that its release becomes. What appears in
 * between would move a link or button from under the pointer, and the press would do nothing.
 */
export function afterPress(run: () => void): void {
  if (!pressed) {
    run();
    return;
  }
  const abort = new AbortController();
  for (const end of ends) {
    const finish = () => {
      abort.abort();
      // The click follows in the same task.
      setTimeout(run);
    };
    addEventListener(end, finish, { capture: true, signal: abort.signal });
  }
}
