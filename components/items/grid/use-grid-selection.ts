"use client";

import { useState } from "react";
import type { ItemSelection } from "@/components/items/item-source";

/** At most so many single items are chosen; more are chosen by a filter. */
const maxChosen = 10_000;

interface Options {
  filter: string;
  count: number;
  uidsBetween: (from: number, to: number) => Promise<string[]>;
}

/** What is chosen in a grid: single items, spans of them, or all that match. Another filter clears it. */
export function useGridSelection({ filter, count, uidsBetween }: Options) {
  const [state, setState] = useState<{
    filter: string;
    uids: ReadonlySet<string>;
    all: boolean;
    anchor: number | null;
  }>({
    filter,
    uids: new Set(),
    all: false,
    anchor: null,
  });
  const none = { filter, uids: new Set<string>(), all: false, anchor: null };
  const { uids, all, anchor } = state.filter === filter ? state : none;
  const selection: ItemSelection | null = all
    ? { filter, expected: count }
    : uids.size > 0
      ? { uids: [...uids] }
      : null;
  return {
    selection,
    count: all ? count : uids.size,
    all,
    isTicked: (uid: string): boolean => all || uids.has(uid),
    toggle: (uid: string, index: number) => {
      const next = new Set(all ? [] : uids);
      if (!next.delete(uid) && next.size < maxChosen) next.add(uid);
      setState({ filter, uids: next, all: false, anchor: index });
    },
    /** Chooses everything from the item that was chosen last. */
    extend: async (index: number) => {
      const start = anchor ?? index;
      if (Math.abs(index - start) >= maxChosen) return;
      const between = await uidsBetween(start, index);
      setState((before) => ({
        filter,
        uids: new Set([...(before.filter === filter && !before.all ? before.uids : []), ...between]),
        all: false,
        anchor: start,
      }));
    },
    /** Chooses these items, beside those that are chosen or in their place. */
    choose: (chosen: readonly string[], keep: boolean) =>
      setState((before) => {
        const kept = keep && before.filter === filter && !before.all ? before : none;
        return { ...kept, uids: new Set([...kept.uids, ...chosen].slice(0, maxChosen)) };
      }),
    chooseAll: () => setState({ ...none, all: count > 0 }),
    clear: () => setState(none),
  };
}
