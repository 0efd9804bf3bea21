import { useEffect, type RefObject } from "react";

/** What lies beside an element and what it is in, up to the body, where dialogs, menus and messages lie. */
function* listSurroundings(element: Element): Generator<HTMLElement> {
  for (let inner = element; inner.parentElement && inner.parentElement !== document.body; inner = inner.parentElement) {
    for (const each of inner.parentElement.children) if (each !== inner && each instanceof HTMLElement) yield each;
  }
}

/**
 * While an element covers the whole page, nothing else of it can be reached by keys or screen readers. The focus is inside,
 * and afterwards where it was.
 */
export function useCoverPage(host: RefObject<HTMLElement | null>, isOn: boolean): void {
  useEffect(() => {
    const element = host.current;
    if (!isOn || !element) return;
    const before = document.activeElement;
    const covered = [...listSurroundings(element)].filter((each) => !each.inert);
    for (const each of covered) each.inert = true;
    if (!element.contains(before)) element.focus({ preventScroll: true });
    return () => {
      for (const each of covered) each.inert = false;
      const now = document.activeElement;
      const isNowhere = now === null || now === document.body || now === element;
      if (isNowhere && before instanceof HTMLElement && before !== document.body) before.focus({ preventScroll: true });
    };
  }, [host, isOn]);
}
