"use client";

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { readFailure } from "@/components/product/failure";
import { useTRPCClient, type Inputs, type Outputs } from "@/components/trpc/client";
import { readFilter } from "./read-filter";

type Counted = Extract<Outputs["items"]["count"], { timed_out: false }>;

/** What a filter holds; while it is counted, invalid or too slow, with the last count that is known. */
export interface ItemCountState extends Partial<Pick<Counted, "count" | "total" | "samples" | "conditions">> {
  state: "counting" | "exact" | "timed_out" | "invalid" | "failed" | "stopped";
  /** What is wrong with the filter, or why it was not counted. */
  error?: { message: string; from: number; to: number };
  /** Ends the count that is under way. */
  stop: () => void;
  /** Counts at once: the text that is there now, also when it was stopped, too slow or failed. */
  again: () => void;
}

/** The count starts this long (milliseconds) after the last change. */
const quietMs = 250;

/** The text since it last changed `quietMs` ago, and a function that does not wait for that. */
function useQuiet(text: string): [quiet: string, hurry: () => void] {
  const [quiet, setQuiet] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(text), quietMs);
    return () => clearTimeout(timer);
  }, [text]);
  return [quiet, () => setQuiet(text)];
}

type Counting = Inputs["items"]["count"];

/** Counts what a filter holds of the sources together, a moment after each change. Nothing without a source. */
export function useItemCount({ datasets = [], slices = [], projects = [], filter }: Counting): ItemCountState {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { fault } = readFilter(filter);
  const asked = JSON.stringify({ datasets, slices, projects, filter: filter.trim() } satisfies Counting);
  const [quiet, hurry] = useQuiet(asked);
  const [stopped, setStopped] = useState<string | null>(null);
  const queryKey = [["items", "count"], quiet];
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey,
    enabled: datasets.length + slices.length + projects.length > 0 && !fault && quiet === asked && stopped !== quiet,
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) => client.items.count.mutate(JSON.parse(quiet) as Counting, { signal }),
  });
  const known = data && !data.timed_out ? data : null;
  const base = {
    ...(known && { count: known.count, total: known.total, samples: known.samples, conditions: known.conditions }),
    stop: () => {
      setStopped(quiet);
      void queryClient.cancelQueries({ queryKey });
    },
    again: () => {
      setStopped(null);
      hurry();
      // Not refetch(), which would send the text from before the pause, right or wrong.
      void queryClient.invalidateQueries({ queryKey: [["items", "count"], asked] });
    },
  };
  if (fault) return { ...base, state: "invalid", error: fault };
  if (quiet === asked && stopped === quiet) return { ...base, state: "stopped" };
  if (quiet !== asked || isFetching || isPlaceholderData) return { ...base, state: "counting" };
  if (error) return { ...base, state: "failed", error: { message: readFailure(error).detail, from: 0, to: 0 } };
  if (data?.timed_out) return { ...base, state: "timed_out" };
  return { ...base, state: known ? "exact" : "counting" };
}
