"use client";

import { parseAsString, useQueryState } from "nuqs";

const reverse = (ordering: string): string => (ordering.startsWith("-") ? ordering.slice(1) : `-${ordering}`);

/**
 * A list's order in the address as `?ordering=`, and how a header changes it. The list's own order stays out of the
 * address; a press on the header that it sorts by turns it around.
 */
export function useOrdering(own: string) {
  const [chosen, setChosen] = useQueryState("ordering", parseAsString.withOptions({ history: "push" }));
  const ordering = chosen ?? own;
  return {
    ordering,
    onOrderingChange: (next: string | null) => {
      const wanted = next ?? (ordering === own ? reverse(own) : own);
      void setChosen(wanted === own ? null : wanted);
    },
  };
}
