"use client";

/**
 * Focuses an element that is drawn in one of the next frames, unless the focus has moved by then, such as to a dialog
 * opened by the next key.
 * @param find called after these frames, because the element may not exist before
 * @param frames number of frames to wait
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
