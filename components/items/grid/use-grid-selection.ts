"use client";

import { useState } from "react";
import type { ItemSelection } from "@/components/items/item-source";
import { useLatest } from "@/components/kit/latest";
import { toast } from "@/components/product/toast";
import { maxFilterLength } from "@/domain/items/filter";
import { withoutItems } from "./filter-parts";

/** At most so many single items are chosen; more are chosen by a filter. */
const maxChosen = 10_000;

interface Options {
  filter: string;
  count: number;
  uidsBetween: (from: number, to: number) => Promise<string[]>;
}

interface State {
  filter: string;
  /** The items that are chosen; of all, those that are left out. */
  uids: ReadonlySet<string>;
  all: boolean;
  anchor: number | null;
}

const nothing = (filter: string): State => ({ filter, uids: new Set(), all: false, anchor: null });

/** With other items; as it was where that is more than can be chosen, or left out. */
function withUids(state: State, uids: ReadonlySet<string>): State {
  const fits = state.all ? withoutItems(state.filter, uids).length <= maxFilterLength : uids.size <= maxChosen;
  return fits ? { ...state, uids } : state;
}

function toggled(uids: ReadonlySet<string>, uid: string): ReadonlySet<string> {
  const next = new Set(uids);
  if (!next.delete(uid)) next.add(uid);
  return next;
}

/**
 * What is chosen in a grid: single items, spans of them, or all that match, but for those that are left out again. Another
 * filter clears it.
 */
export function useGridSelection({ filter, count, uidsBetween }: Options) {
  const [state, setState] = useState<State>(() => nothing(filter));
  const { uids, all, anchor } = state.filter === filter ? state : nothing(filter);
  const chosen = all ? Math.max(0, count - uids.size) : uids.size;
  const refuse = () =>
    toast.failure("Narrow the filter instead.", {
      title: `So many single items cannot be ${all ? "left out" : "chosen"}`,
    });
  const setUids = (next: ReadonlySet<string>, from: number) => {
    const current = { filter, uids, all, anchor: from };
    const changed = withUids(current, next);
    setState(changed);
    if (changed === current) refuse();
  };
  // Spans are read from the server, and added to what is chosen by then.
  const addSpan = useLatest((span: readonly string[], from: number, within: string) => {
    if (within === filter) setUids(new Set([...uids, ...span]), from);
  });
  const selection: ItemSelection | null =
    chosen === 0 ? null : all ? { filter: withoutItems(filter, uids), expected: chosen } : { uids: [...uids] };
  return {
    selection,
    count: chosen,
    all,
    isTicked: (uid: string): boolean => all !== uids.has(uid),
    toggle: (uid: string, index: number) => setUids(toggled(uids, uid), index),
    /** Chooses everything from the item that was pressed last, or leaves it out where all are chosen. */
    extend: async (index: number) => {
      const start = anchor ?? index;
      if (Math.abs(index - start) >= maxChosen) return refuse();
      addSpan(await uidsBetween(start, index), start, filter);
    },
    /** Chooses these items, beside those that are chosen or in their place. */
    choose: (found: readonly string[], keep: boolean) => {
      if (keep && all)
        return setState({ filter, all, anchor, uids: new Set([...uids].filter((each) => !found.includes(each))) });
      setState({ ...nothing(filter), uids: new Set([...(keep ? uids : []), ...found].slice(0, maxChosen)) });
    },
    chooseAll: () => setState({ ...nothing(filter), all: count > 0 }),
    clear: () => setState(nothing(filter)),
  };
}
