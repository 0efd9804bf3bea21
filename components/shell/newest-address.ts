import { isLeaving } from "@/components/kit/leaving";

/** What of `history` writes addresses. */
type Writer = Pick<History, "replaceState" | "pushState">;

let installed: History["replaceState"] | null = null;

/**
 * Lets the router write no address that was replaced meanwhile. It writes each again once it has rendered it; when the
 * next was written while it rendered, that one would be gone for a moment, and what was typed last with it. Of a person
 * who leaves the page (`leaves`) no delayed address is written, which would keep them there.
 */
export function keepNewest(history: Writer, current: () => string, leaves: () => boolean): void {
  if (history.replaceState === installed) return;
  const { replaceState, pushState } = history;
  /** Addresses that were replaced since the router rendered the current one. */
  const older = new Set<string>();
  const toHref = (url: string | URL | null | undefined) => new URL(url ?? current(), current()).href;
  // The router writes its own state with an address; all others write none.
  const note = (state: unknown, href: string) => {
    if (state !== null) return older.clear();
    older.add(current());
    older.delete(href);
  };
  installed = history.replaceState = (state, unused, url) => {
    const href = toHref(url);
    if (state === null && leaves()) return;
    if (state !== null && href !== current() && older.has(href)) return;
    note(state, href);
    replaceState.call(history, state, unused, url);
  };
  history.pushState = (state, unused, url) => {
    note(state, toHref(url));
    pushState.call(history, state, unused, url);
  };
}

/** Given to nuqs, which calls it before each of its writes. */
export function keepNewestAddress(search: URLSearchParams): URLSearchParams {
  keepNewest(history, () => location.href, isLeaving);
  return search;
}
