import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";

/** What a DataTable needs of a cursor-paged query: its rows so far, its state, and how to get more. */
export function tableProps<Row>(query: UseInfiniteQueryResult<InfiniteData<{ results: Row[] }, unknown>, unknown>) {
  return {
    rows: query.data?.pages.flatMap((page) => page.results),
    error: query.error,
    onRetry: () => void query.refetch(),
    fetching: query.isFetching,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    onLoadMore: () => void query.fetchNextPage(),
  };
}

/** The cursor of the next page, as infinite queries want it. */
export const nextPage = { getNextPageParam: (page: { next: string | null }) => page.next ?? undefined };
