"use client";

import { useMemo, useState } from "react";

export interface Arrivals<Row> {
  /** What may be shown without moving anything below the pointer. */
  rows: Row[] | undefined;
  fresh: { count: number; onShow: () => void };
}

/** The list that was shown last, and which of its rows. */
interface Accepted {
  list: string;
  keys: ReadonlySet<string>;
}

/**
 * Splits a live list, newest first, into rows that are shown and rows that arrived meanwhile and wait behind a pill.
 * Rows below the last shown one come from paging and are shown immediately; so is everything of another `list` (other
 * filters), the first row of an empty one, and the rows `own` names. `list` is null while the rows are still those of
 * the list before.
 */
export function useFreshRows<Row extends { uid: string }>(
  list: string | null,
  all: readonly Row[] | undefined,
  own: ReadonlySet<string>,
): Arrivals<Row> {
  const [accepted, setAccepted] = useState<Accepted>({ list: "", keys: new Set() });
  const split = useMemo(() => splitArrivals(accepted, list, all, own), [accepted, list, all, own]);
  if (split.next) setAccepted(split.next);
  const showAll = () => setAccepted({ list: list ?? "", keys: new Set(all?.map((row) => row.uid)) });
  return { rows: split.rows, fresh: { count: split.waiting, onShow: showAll } };
}

/** The rows to show of `all`, how many wait, and what to accept next; see `useFreshRows`. */
export function splitArrivals<Row extends { uid: string }>(
  accepted: Accepted,
  list: string | null,
  all: readonly Row[] | undefined,
  own: ReadonlySet<string>,
): { rows: Row[] | undefined; waiting: number; next?: Accepted } {
  if (!all) return { rows: undefined, waiting: 0 };
  if (list === null) return { rows: [...all], waiting: 0 };
  const shown = all.filter((row) => accepted.keys.has(row.uid));
  // By place, not by uid: not every list is ordered by when its rows were made.
  const last = shown.at(-1);
  if (accepted.list !== list || last === undefined) {
    const next = { list, keys: new Set(all.map((row) => row.uid)) };
    const same = accepted.list === list && accepted.keys.size === next.keys.size && shown.length === all.length;
    return { rows: [...all], waiting: 0, ...(!same && { next }) };
  }
  const end = all.lastIndexOf(last);
  const rows = all.filter((row, at) => at > end || accepted.keys.has(row.uid) || own.has(row.uid));
  const added = rows.length > shown.length;
  return {
    rows,
    waiting: all.length - rows.length,
    ...(added && { next: { list, keys: new Set([...accepted.keys, ...rows.map((row) => row.uid)]) } }),
  };
}
