import type { ItemCell } from "@/components/items/item-source";

/**
 * The rows of a page that was loaded again: each stays where it was, those that are not there any more are marked, and
 * what is new follows.
 */
export function mergeRows(before: readonly ItemCell[], now: readonly ItemCell[]): ItemCell[] {
  const byUid = new Map(now.map((row) => [row.uid, row]));
  const known = new Set(before.map(({ uid }) => uid));
  return [
    ...before.map((row): ItemCell => byUid.get(row.uid) ?? { ...row, gone: true }),
    ...now.filter(({ uid }) => !known.has(uid)),
  ];
}

/** The numbers of the pages that hold the items from `first` to `last`. */
export function listPages(first: number, last: number, every: number, pages: number): number[] {
  const from = Math.max(0, Math.floor(first / every));
  const to = Math.min(pages - 1, Math.floor(last / every));
  return to < from ? [] : Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
