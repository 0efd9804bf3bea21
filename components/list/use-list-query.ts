"use client";

import {
  useInfiniteQuery,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import { useMemo } from "react";

/** One page of a list procedure's answer. */
interface Page {
  results: readonly object[];
}
export type RowOf<Answer extends Page> = Answer["results"][number];

/** What `infiniteQueryOptions` of a list procedure makes. */
export type ListQueryOptions<Answer extends Page, Failure, Key extends QueryKey, Cursor> = UseInfiniteQueryOptions<
  Answer,
  Failure,
  InfiniteData<Answer, Cursor>,
  Key,
  Cursor
>;

export interface ListQuery<Answer extends Page> {
  query: UseInfiniteQueryResult<InfiniteData<Answer, unknown>, unknown>;
  /** The rows of every page fetched so far; undefined while the first one loads. */
  rows: RowOf<Answer>[] | undefined;
  /** What a DataTable needs to show them and to get more. */
  table: {
    rows: readonly RowOf<Answer>[] | undefined;
    error: unknown;
    onRetry: () => void;
    fetching: boolean;
    hasMore: boolean;
    loadingMore: boolean;
    onLoadMore: () => void;
  };
}

/** A cursor-paged query as tables show it. */
export function useListQuery<Answer extends Page, Failure, Key extends QueryKey, Cursor>(
  options: ListQueryOptions<Answer, Failure, Key, Cursor>,
): ListQuery<Answer> {
  const query = useInfiniteQuery(options);
  const rows = useMemo(() => query.data?.pages.flatMap(({ results }): RowOf<Answer>[] => [...results]), [query.data]);
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
      onLoadMore: () => void query.fetchNextPage(),
    },
  };
}
