"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import type { FilterValues } from "@/components/list/no-matches";
import { useTRPC } from "@/components/trpc/client";
import type { InboxGrouping } from "@/domain/alerts/lifecycle";
import { groupChoices, tabInput, type GroupChoice } from "./query";

interface Grouping {
  /** Undefined until it is known how the list is best grouped. */
  by: InboxGrouping | null | undefined;
  choose: (group: GroupChoice) => void;
  /** Many alerts of one rule arrived since the list was opened, which was not grouped then. */
  offered: boolean;
}

/**
 * How the inbox is grouped: as chosen in the address, else by rule where one has many alerts. What was decided for a
 * list stays while it is open, so that rows never regroup below the pointer.
 */
export function useGrouping(values: FilterValues): Grouping {
  const trpc = useTRPC();
  const [chosen, setChosen] = useQueryState(
    "group",
    parseAsStringLiteral(groupChoices).withOptions({ history: "push" }),
  );
  const input = tabInput(values);
  const list = JSON.stringify(input);
  const suggestion = useQuery(trpc.alerts.suggestedGrouping.queryOptions(input));
  // The list is of use without a suggestion.
  const suggested = suggestion.isError ? null : suggestion.data?.by;
  const [decided, setDecided] = useState<{ list: string; by: InboxGrouping | null } | null>(null);
  if (suggested !== undefined && decided?.list !== list) setDecided({ list, by: suggested });
  const by = decided?.list === list ? decided.by : (suggested ?? decided?.by);
  const group = chosen === null ? by : chosen === "none" ? null : chosen;
  return {
    by: group,
    choose: (next) => void setChosen(next),
    offered: chosen === null && group === null && suggested === "rule",
  };
}
