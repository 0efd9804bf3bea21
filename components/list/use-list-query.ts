"use client";

import {
  useInfiniteQuery,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import { useMemo } from "react";

/** One page of a list procedure's output. */
interface Page {
  results: readonly object[];
}
export type RowOf<Result extends Page> = Result["results"][number];

/** What `infiniteQueryOptions` of a list procedure makes. */
export type ListQueryOptions<Result extends Page, Failure, Key extends QueryKey, Cursor> = UseInfiniteQueryOptions<
  Result,
  Failure,
  InfiniteData<Result, Cursor>,
  Key,
  Cursor
>;

export interface ListQuery<Result extends Page> {
  query: UseInfiniteQueryResult<InfiniteData<Result, unknown>, unknown>;
  /** The rows of every page fetched so far; undefined while the first one loads. */
  rows: RowOf<Result>[] | undefined;
  /** What a DataTable needs to show them and to get more. */
  table: {
    rows: readonly RowOf<Result>[] | undefined;
    error: unknown;
    onRetry: () => void;
    fetching: boolean;
    hasMore: boolean;
    loadingMore: boolean;
    onLoadMore: () => void;
  };
}

/** How often the next page is asked for before it is left to another press. */
const maxAttempts = 3;

/** A cursor-paged query as tables show it. */
export function useListQuery<Result extends Page, Failure, Key extends QueryKey, Cursor>(
  options: ListQueryOptions<Result, Failure, Key, Cursor>,
): ListQuery<Result> {
  const query = useInfiniteQuery(options);
  const rows = useMemo(() => query.data?.pages.flatMap(({ results }): RowOf<Result>[] => [...results]), [query.data]);
  // A refresh of the loaded pages, which changes elsewhere cause, cancels a request for the next one.
  const loadMore = async (): Promise<void> => {
    const before = query.data?.pages.length;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { data, hasNextPage, isError } = await query.fetchNextPage();
      if (isError || !hasNextPage || data?.pages.length !== before) return;
    }
  };
  return {
    query,
    rows,
    table: {
      rows,
      error: query.error,
      onRetry: () => void query.refetch(),
      fetching: query.isPlaceholderData,
      hasMore: query.hasNextPage,
      loadingMore: query.isFetchingNextPage,
      onLoadMore: () => void loadMore(),
    },
  };
}
