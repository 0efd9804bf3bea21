"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { PageBody } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";

/** What a list shows of a query that is asked page by page. */
interface PagedQuery<Row> {
  data: { pages: readonly { results: readonly Row[] }[] } | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => Promise<unknown>;
  fetchNextPage: () => Promise<unknown>;
}

interface PagedListProps<Row> {
  label: string;
  query: PagedQuery<Row>;
  /** Said when the first page could not be loaded. */
  failure: string;
  /** In place of everything when there are no rows. */
  empty: ReactNode;
  /** Above the rows. */
  actions?: ReactNode;
  /** The classes of each row. */
  className: string;
  children: (row: Row) => ReactNode;
}

/** A short list within a page, such as on a tab, that needs no columns: more of it is loaded on demand. */
export function PagedList<Row extends { uid: string }>(props: PagedListProps<Row>) {
  const { label, query, failure, empty, actions, className, children } = props;
  if (query.error && !query.data)
    return <ErrorState error={query.error} title={failure} onRetry={() => void query.refetch()} />;
  const rows = query.data?.pages.flatMap(({ results }) => results);
  if (rows?.length === 0) return empty;
  return (
    <PageBody className="gap-4">
      {actions !== undefined && <div>{actions}</div>}
      {rows === undefined ? (
        <SkeletonText lines={3} />
      ) : (
        <ul aria-label={label} className="flex max-w-220 flex-col text-table">
          {rows.map((row) => (
            <li key={row.uid} className={className}>
              {children(row)}
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button className="self-start" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
    </PageBody>
  );
}
