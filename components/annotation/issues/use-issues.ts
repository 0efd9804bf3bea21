"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { plural } from "@/components/kit/format";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { longPageSize } from "@/domain/limits";
import { issueLabels } from "./rejection";
import type { Pin } from "./stage-pins";

export type Issue = Outputs["issues"]["list"]["results"][number];

/** The issues of a task in their order, with their pins. */
export function useIssues(task: string) {
  const trpc = useTRPC();
  const query = useQuery(trpc.issues.list.queryOptions({ uid: task, limit: longPageSize.max }));
  const issues = query.data?.results;
  const pins = useMemo(
    () =>
      (issues ?? []).map(({ uid, kind, point, shape, state }, at): Pin => ({
        id: uid,
        number: at + 1,
        label: issueLabels[kind],
        point,
        shape,
        isOpen: state === "open",
      })),
    [issues],
  );
  const open = issues?.filter(({ state }) => state === "open").length ?? 0;
  return { query, issues, pins, open };
}

/** What the list of shapes says of those that have open issues. */
export function noteIssues(issues: readonly Issue[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const { shape, state } of issues)
    if (shape !== null && state === "open") counts.set(shape, (counts.get(shape) ?? 0) + 1);
  return new Map(Array.from(counts, ([shape, count]) => [shape, plural(count, "issue")]));
}
