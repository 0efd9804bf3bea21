"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPC } from "@/components/trpc/client";
import type { ReviewedTask, ShapePair, StoredResult } from "./query";
import { useResultShapes } from "./result-shapes";

const noPairs: readonly ShapePair[] = [];

/** A result beside the rounds before it, the latest first, and what became of each shape since that one. */
export function useComparison(found: ReviewedTask, result: StoredResult, round: number) {
  const trpc = useTRPC();
  const { labels } = found.project;
  const rounds = useMemo(() => {
    const older = found.earlier.filter(({ uid }) => uid < result.uid);
    return older.map((each, at) => ({ result: each, round: Math.max(1, round - 1 - at) }));
  }, [found, result, round]);
  const [before] = rounds;
  const compared = useQuery({
    ...trpc.results.compare.queryOptions({ a: before?.result.uid ?? "", b: result.uid }),
    enabled: before !== undefined,
    staleTime: "static",
  }).data;
  const own = useResultShapes(result, labels);
  const earlier = useResultShapes(before?.result, labels);
  const pairs = before ? (compared ?? noPairs) : noPairs;
  const changed = useMemo(() => pairs.filter(({ differs }) => differs.length > 0), [pairs]);
  return { rounds, before, isCompared: compared !== undefined, pairs, changed, own, earlier };
}
