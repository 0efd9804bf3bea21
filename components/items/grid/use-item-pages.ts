"use client";

import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ItemCell, ItemQuery, ItemSurvey } from "@/components/items/item-source";
import { readFailure } from "@/components/product/failure";
import { useTRPCClient, type Outputs } from "@/components/trpc/client";
import { mergeRows } from "./page-rows";

type Page = Outputs["items"]["window"];

/** That the server was too busy for some pages. */
export interface PageRefusal {
  error: unknown;
  /** When it said so, in milliseconds of the clock. */
  at: number;
  /** Asks for these pages again. */
  retry: () => void;
}

const isBusy = (error: unknown): boolean => [429, 503].includes(readFailure(error).status ?? 0);

/** Keeps rows where they were when a page is fetched again. */
const shareRows = (before: unknown, now: unknown): Page => {
  const next = now as Page;
  return before === undefined ? next : { rows: mergeRows((before as Page).rows, next.rows) };
};

/**
 * The items of the pages that are on the screen, and of any others on demand. `beginning` are the first items as they
 * were when the page was opened, until their page is loaded.
 */
export function useItemPages(
  query: ItemQuery,
  survey: ItemSurvey | null,
  pages: readonly number[],
  beginning: readonly ItemCell[] = [],
) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const toOptions = (page: number) => {
    const input = {
      ...query,
      newest: survey?.newest ?? "",
      from: survey?.anchors[page] ?? null,
      until: survey?.anchors[page + 1] ?? null,
    };
    return {
      queryKey: [["items", "window"], input],
      staleTime: 30_000,
      gcTime: 30_000,
      retry: false,
      queryFn: ({ signal }: { signal: AbortSignal }) => client.items.window.mutate(input, { signal }),
      structuralSharing: shareRows,
    };
  };
  const results = useQueries({ queries: survey ? pages.map(toOptions) : [] });
  const byPage = new Map(pages.map((page, at) => [page, results[at]]));
  const every = survey?.every ?? 1;
  // Another survey may begin with other items.
  const [begun, setBegun] = useState(false);
  if (!begun && byPage.get(0)?.data) setBegun(true);
  const failed = results.filter(({ error }) => error !== null);
  const refused = failed.filter(({ error }) => isBusy(error)).sort((a, b) => b.errorUpdatedAt - a.errorUpdatedAt);
  const retry = () => failed.forEach((result) => void result.refetch());
  const [latest] = refused;
  return {
    /** The item at a place; undefined while it is not loaded. */
    item: (index: number): ItemCell | undefined => {
      const page = Math.floor(index / every);
      return (byPage.get(page)?.data?.rows ?? (page === 0 && !begun ? beginning : []))[index % every];
    },
    /** Whether the page of a place was loaded and has nothing there any more. */
    isGone: (index: number): boolean => {
      const page = byPage.get(Math.floor(index / every));
      return page?.data !== undefined && page.data.rows[index % every] === undefined;
    },
    /** Set while the server is busy: no other page is worth asking for. */
    refusal: latest ? ({ error: latest.error, at: latest.errorUpdatedAt, retry } satisfies PageRefusal) : null,
    error: failed.find(({ error }) => !isBusy(error))?.error ?? null,
    retry,
    loaded: results.flatMap(({ data }) => (data ? [data.rows] : [])),
    /** The uids between two places, those of pages that are not on the screen included, of the places that are wanted. */
    uidsBetween: async (from: number, to: number, isWanted = (_: number) => true): Promise<string[]> => {
      const [first, last] = [Math.min(from, to), Math.max(from, to)];
      const uids: string[] = [];
      for (let page = Math.floor(first / every); page <= Math.floor(last / every); page++) {
        const { rows } = await queryClient.fetchQuery(toOptions(page));
        const start = page * every;
        uids.push(
          ...rows
            .filter(
              (row: ItemCell, at) => start + at >= first && start + at <= last && !row.gone && isWanted(start + at),
            )
            .map(({ uid }) => uid),
        );
      }
      return uids;
    },
  };
}
