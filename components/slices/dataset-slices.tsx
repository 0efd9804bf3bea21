"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import Link from "next/link";
import { newSliceHref } from "@/components/item-filter/slice-address";
import { Button, ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { PageBody } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { nextPage } from "@/components/list/list-input";
import { ErrorState } from "@/components/product/error-state";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { listInput, sliceHref } from "./query";
import { SliceItems } from "./slice-columns";

/** The slices of one dataset. */
export function DatasetSlices({ dataset }: { dataset: string }) {
  const trpc = useTRPC();
  const reason = usePermissions().refusal();
  const query = useInfiniteQuery(trpc.slices.overview.infiniteQueryOptions(listInput({ dataset }), nextPage));
  const create = (
    <ButtonLink href={newSliceHref({ dataset })} icon={<Plus aria-hidden />} disabledReason={reason}>
      New slice
    </ButtonLink>
  );
  if (query.error && !query.data)
    return (
      <ErrorState error={query.error} title="Its slices could not be loaded" onRetry={() => void query.refetch()} />
    );
  const slices = query.data?.pages.flatMap(({ results }) => results);
  if (slices?.length === 0)
    return (
      <EmptyState
        kind="nothing-yet"
        title="No slices yet"
        description="A slice is a question put to a dataset. It copies nothing and stays true."
        action={create}
      />
    );
  return (
    <PageBody className="gap-4">
      <div>{create}</div>
      {slices === undefined ? (
        <SkeletonText lines={3} />
      ) : (
        <ul aria-label="Slices" className="flex max-w-200 flex-col text-table">
          {slices.map((slice) => (
            <li key={slice.uid} className="flex min-w-0 items-baseline gap-4 border-t border-border py-2">
              <Link
                href={sliceHref(slice.uid)}
                className="min-w-0 flex-1 truncate text-accent-text hover:underline"
                title={slice.name}
              >
                {slice.name}
              </Link>
              <code
                className="min-w-0 flex-1 truncate font-mono text-muted max-sm:hidden"
                title={slice.filter_query_string}
              >
                {slice.filter_query_string || "every item"}
              </code>
              <span className="w-24 shrink-0 text-right">
                <SliceItems slice={slice} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <div>
          <Button variant="ghost" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            More
          </Button>
        </div>
      )}
    </PageBody>
  );
}
