"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useLatest } from "./latest";

type Go = () => void;

let guard: ((go: Go) => void) | null = null;
const attempts = new Set<() => void>();

/** Writes of the address that wait when somebody sets out come within this time: three times the longest throttle. */
const waitingMs = 1_300;
let setOut: { at: number; from: string } | null = null;

function announceAttempt(): void {
  setOut = { at: performance.now(), from: location.pathname };
  attempts.forEach((notify) => notify());
}

/**
 * Whether the person just set out for another page, which is not there yet: the router would drop that navigation for a
 * write of the address that waited.
 */
export const isLeaving = (): boolean =>
  setOut?.from === location.pathname && performance.now() - setOut.at <= waitingMs;

/** Goes to another page of the product; where something is unsaved, its guard decides when. */
export function leave(go: Go): void {
  const begin = () => {
    announceAttempt();
    go();
  };
  if (guard) guard(begin);
  else begin();
}

/** Calls `notify` whenever the person sets out for another page; returns a function that stops it. */
export function onAttempt(notify: () => void): () => void {
  attempts.add(notify);
  return () => void attempts.delete(notify);
}

/** The page that a press on a link opens in this tab; null for anything else. */
function pressedPage(event: MouseEvent): URL | null {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.hasAttribute("download")) return null;
  if ((link.target !== "" && link.target !== "_self") || link.origin !== location.origin) return null;
  // The row of a list decides itself whether its link opens a page or the drawer.
  if (link.hasAttribute("data-row-link")) return null;
  return link.pathname === location.pathname ? null : new URL(link.href);
}

/** Lets presses on links go through `leave`; once in the shell. */
export function useLinksLeave(): void {
  const router = useRouter();
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const page = pressedPage(event);
      if (page === null) return;
      if (!guard) return announceAttempt();
      event.preventDefault();
      event.stopPropagation();
      leave(() => router.push(`${page.pathname}${page.search}${page.hash}`));
    };
    document.addEventListener("click", onClick, { capture: true });
    return () => document.removeEventListener("click", onClick, { capture: true });
  }, [router]);
}

/** While active, `ask` decides whether and when the person leaves: by a link, a shortcut or the palette. */
export function useLeaveGuard(active: boolean, ask: (go: Go) => void): void {
  const latest = useLatest(ask);
  useEffect(() => {
    if (!active) return;
    const own = (go: Go) => latest(go);
    guard = own;
    return () => {
      if (guard === own) guard = null;
    };
  }, [active, latest]);
}
