"use client";

import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { itemOrderings } from "@/domain/items/grid-schema";

const gridViews = ["grid", "table"] as const;
type GridView = (typeof gridViews)[number];
const colourings = ["none", "label", "status", "prediction", "disagreement"] as const;
export type Colouring = (typeof colourings)[number];

/** Whether a colour is of what a run predicted. */
export const isOfRun = (colouring: Colouring): boolean => colouring === "prediction" || colouring === "disagreement";

/** The ways of colouring that say something where models ran, or where none did. */
export const listColourings = (hasRuns: boolean): readonly Colouring[] =>
  colourings.filter((each) => hasRuns || !isOfRun(each));

/** Pixels of a cell's picture, from the smallest to the largest. */
export const cellSizes = { min: 96, max: 320, step: 32, usual: 160 } as const;

/** What a grid shows, in the address, so that a link and the way back lead to the same place. */
export function useGridAddress() {
  const [filter, setFilter] = useQueryState(
    "filter_query_string",
    parseAsString.withDefault("").withOptions({ history: "push" }),
  );
  const [ordering, setOrdering] = useQueryState(
    "ordering",
    parseAsStringLiteral(itemOrderings).withDefault("-created_at").withOptions({ history: "push" }),
  );
  const [view, setView] = useQueryState("view", parseAsStringLiteral(gridViews).withDefault("grid"));
  const [size, setSize] = useQueryState("size", parseAsInteger.withDefault(cellSizes.usual));
  const [colouring, setColouring] = useQueryState("color_by", parseAsStringLiteral(colourings).withDefault("none"));
  const [run, setRun] = useQueryState("run", parseAsString);
  const [at, setAt] = useQueryState("at", parseAsString.withOptions({ history: "replace", throttleMs: 300 }));
  return {
    filter,
    setFilter: (next: string) => {
      // Another filter begins at its first item.
      void setAt(null);
      void setFilter(next.trim() === "" ? null : next.trim());
    },
    ordering,
    setOrdering: (next: (typeof itemOrderings)[number]) => {
      void setAt(null);
      void setOrdering(next);
    },
    view,
    setView: (next: GridView) => void setView(next),
    size: Math.min(cellSizes.max, Math.max(cellSizes.min, size)),
    setSize: (next: number) => void setSize(Math.min(cellSizes.max, Math.max(cellSizes.min, next))),
    colouring,
    setColouring: (next: Colouring) => void setColouring(next),
    /** The run whose predictions are shown. */
    run,
    setRun: (next: string | null) => void setRun(next),
    at,
    setAt: (next: string | null) => void setAt(next),
  };
}

export type GridAddress = ReturnType<typeof useGridAddress>;
