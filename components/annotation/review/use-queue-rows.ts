"use client";

import { useState } from "react";
import type { HeldDecision } from "./decision-sender";
import type { ReviewedResult } from "./query";
import type { QueueRow } from "./review-queue";

/** What became of a result that was decided before it was listed. */
const sayDecided = ({ status, decided_by: by }: ReviewedResult): string | undefined =>
  status === "submitted"
    ? undefined
    : `${status === "accepted" ? "Accepted" : "Rejected"}${by === null ? "" : ` by ${by}`}`;

interface QueueRows {
  rows: readonly QueueRow[];
  /** Says what became of a result: it stays in its place when the server no longer lists it. */
  note: (uid: string, became: string) => void;
}

/**
 * The rows of the queue in an order that does not change while somebody works: those that were decided here stay where they
 * were, others that are no longer there leave, and new ones come last.
 */
export function useQueueRows(
  fetched: readonly ReviewedResult[] | undefined,
  held: ReadonlyMap<string, HeldDecision>,
): QueueRows {
  const [became, setBecame] = useState<ReadonlyMap<string, string>>(new Map());
  const [known, setKnown] = useState<{ of: typeof fetched; rows: readonly ReviewedResult[] }>({
    of: undefined,
    rows: [],
  });
  let { rows } = known;
  if (fetched !== known.of && fetched) {
    const listed = new Map(fetched.map((row) => [row.uid, row]));
    const kept = known.rows.filter(({ uid }) => listed.has(uid) || held.has(uid) || became.has(uid));
    const before = new Set(kept.map(({ uid }) => uid));
    rows = [...kept.map((row) => listed.get(row.uid) ?? row), ...fetched.filter(({ uid }) => !before.has(uid))];
    setKnown({ of: fetched, rows });
  }
  return {
    rows: rows.map((row): QueueRow => {
      const what = became.get(row.uid) ?? sayDecided(row);
      return what === undefined ? row : { ...row, became: what };
    }),
    note: (uid, what) => setBecame((now) => new Map(now).set(uid, what)),
  };
}
