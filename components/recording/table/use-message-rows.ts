"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPCClient } from "@/components/trpc/client";
import { findNext, findPrevious, mergePages } from "./message-rows";

/** Messages of one answer: half before a moment, half from it on. */
const limit = 200;
/** Answers that are kept; those at the other end go first. */
const maxPages = 50;

/** The messages of a topic around a moment, in nanoseconds since 1970, and those next to them as they are asked for. */
export function useMessageRows(uid: string, topic: string, anchor: bigint) {
  const client = useTRPCClient();
  const query = useInfiniteQuery({
    queryKey: ["message-rows", uid, topic, String(anchor)],
    initialPageParam: String(anchor),
    queryFn: ({ pageParam }) => client.recordings.messages.query({ uid, topic, at: pageParam, limit }),
    getNextPageParam: (page) => findNext(page, limit),
    getPreviousPageParam: (page) => findPrevious(page, limit),
    maxPages,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const pages = query.data?.pages;
  const rows = useMemo(() => mergePages(pages ?? []), [pages]);
  return { rows, query };
}
