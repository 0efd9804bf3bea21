"use client";

/**
 * Focuses what is drawn only in the next frames, unless the person's focus has moved on by then: a dialog opened by the
 * very next key keeps it.
 * @param find looked up when the time has come, since the element may not be there yet
 * @param frames how long to wait
 */
export function focusSoon(find: () => HTMLElement | null | undefined, frames = 2): void {
  const before = document.activeElement;
  const step = (left: number): void => {
    if (left > 0) return void requestAnimationFrame(() => step(left - 1));
    const now = document.activeElement;
    if (now === before || now === document.body || now === null) find()?.focus({ preventScroll: true });
  };
  step(frames);
}
