"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { DatasetAddress } from "@/components/items/item-links";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { listPredictedShapes, listResultShapes, type ItemShape } from "./shapes";

interface RunShapes {
  uid: string;
  model: string;
  created_at: string;
  shapes: ItemShape[];
}

export interface ItemShapes {
  result: Outputs["items"]["annotations"] | undefined;
  ofResult: readonly ItemShape[];
  runs: readonly RunShapes[];
  /** The run whose shapes are drawn. */
  run: string | null;
  hidden: ReadonlySet<string>;
  hide: (ids: readonly string[], isHidden: boolean) => void;
  selected: string | null;
  select: (id: string | null) => void;
  /** Whether shapes are drawn at all. */
  areShown: boolean;
  toggle: () => void;
  /** Those that are drawn. */
  drawn: readonly ItemShape[];
}

const none: readonly ItemShape[] = [];

/** The shapes of people and models on an item, and which of them are drawn. */
export function useItemShapes(
  dataset: DatasetAddress,
  uid: string,
  chosen: { result: string | null; run: string | null },
): ItemShapes {
  const trpc = useTRPC();
  const of = { ...dataset, uid };
  const { result: resultUid, run: runUid } = chosen;
  const result = useQuery(
    trpc.items.annotations.queryOptions({ ...of, ...(resultUid !== null && { result: resultUid }) }),
  ).data;
  const predictions = useQuery(trpc.items.predictions.queryOptions(of)).data;
  const ofResult = useMemo(() => listResultShapes(result), [result]);
  const runs = useMemo(
    () =>
      (predictions ?? []).map((run) => ({
        uid: run.run_uid,
        model: run.model_name,
        created_at: run.created_at,
        shapes: listPredictedShapes(run, result),
      })),
    [predictions, result],
  );
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [selected, select] = useState<string | null>(null);
  const [areShown, setShown] = useState(true);
  // Of one run, the newest unless another is chosen; the shapes of several would lie over each other.
  const run = runs.find((each) => each.uid === runUid) ?? runs[0];
  const drawn = useMemo(() => {
    if (!areShown) return none;
    const all = [...ofResult, ...(run?.shapes ?? none)];
    return hidden.size === 0 ? all : all.filter(({ id }) => !hidden.has(id));
  }, [areShown, ofResult, run, hidden]);
  return {
    result,
    ofResult,
    runs,
    run: run?.uid ?? null,
    hidden,
    hide: (ids, isHidden) => {
      const next = new Set(hidden);
      for (const id of ids) {
        if (isHidden) next.add(id);
        else next.delete(id);
      }
      setHidden(next);
    },
    selected,
    select,
    areShown,
    toggle: () => setShown(!areShown),
    drawn,
  };
}
