"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { panelNames } from "@/domain/layouts/tree";
import type { LayoutChanges } from "./layout-changes";

/** What the address names the layout that fits the recording, which nobody saved. */
export const suggested = "suggested";

const prefix = "p.";
const parsers = { layout: parseAsString, tree: parseAsString, full: parseAsString };
const all = { ...parsers, ...Object.fromEntries(panelNames.map((name) => [prefix + name, parseAsString])) };

/** What the address of a recording's page says about its layout. */
export interface LayoutAddress {
  /** The uid of a saved one, or `suggested`; null where it does not say. */
  layout: string | null;
  /** The panel shown alone. */
  full: string | null;
  changes: LayoutChanges;
}

/** Reads the query of an address. */
export function readLayoutAddress(query: URLSearchParams): LayoutAddress {
  const panels = [...query].filter(([name]) => name.startsWith(prefix));
  return {
    layout: query.get("layout"),
    full: query.get("full"),
    changes: {
      tree: query.get("tree"),
      panels: Object.fromEntries(panels.map(([name, diff]) => [name.slice(prefix.length), diff])),
    },
  };
}

/** A query with another layout in it. */
export function withLayout(query: URLSearchParams, { layout, full, changes }: LayoutAddress): URLSearchParams {
  const next = new URLSearchParams([...query].filter(([name]) => !(name in parsers) && !name.startsWith(prefix)));
  if (layout !== null) next.set("layout", layout);
  if (changes.tree !== null) next.set("tree", changes.tree);
  for (const [name, diff] of Object.entries(changes.panels)) next.set(prefix + name, diff);
  if (full !== null) next.set("full", full);
  return next;
}

/** Writes what the address says about the layout. */
export function useLayoutAddress(): (address: LayoutAddress) => void {
  const [, set] = useQueryStates(all, { history: "replace", throttleMs: 400 });
  return ({ layout, full, changes }) => {
    const diffs = Object.fromEntries(panelNames.map((name) => [prefix + name, changes.panels[name] ?? null]));
    void set({ ...diffs, layout, full, tree: changes.tree });
  };
}
