"use client";

import { useEffect, useRef } from "react";

/**
 * Requires confirmation before the page is left with unsaved changes, by closing it or by a link; `done` turns that
 * off.
 */
export function useUnsaved(unsaved: boolean): { done: () => void } {
  const ended = useRef(false);
  useEffect(() => {
    if (!unsaved) return;
    const onLeave = (event: BeforeUnloadEvent) => {
      if (!ended.current) event.preventDefault();
    };
    const onPress = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (ended.current || !link || event.metaKey || event.ctrlKey || link.getAttribute("target") === "_blank") return;
      if (link instanceof HTMLAnchorElement && link.pathname === location.pathname) return;
      if (!window.confirm("Leave without saving this rule?")) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    window.addEventListener("beforeunload", onLeave);
    document.addEventListener("click", onPress, { capture: true });
    return () => {
      window.removeEventListener("beforeunload", onLeave);
      document.removeEventListener("click", onPress, { capture: true });
    };
  }, [unsaved]);
  return {
    done: () => {
      ended.current = true;
    },
  };
}
