"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import Link from "next/link";
import { newSliceHref } from "@/components/items/filter/slice-address";
import { ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { nextPage } from "@/components/list/list-input";
import { PagedList } from "@/components/list/paged-list";
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
  return (
    <PagedList
      label="Slices"
      query={query}
      failure="Its slices could not be loaded"
      className="flex min-w-0 items-baseline gap-4 border-t border-border py-2"
      actions={create}
      empty={
        <EmptyState
          kind="nothing-yet"
          title="No slices yet"
          description="A slice is a question put to a dataset. It copies nothing and stays true."
          action={create}
        />
      }
    >
      {(slice) => (
        <>
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
        </>
      )}
    </PagedList>
  );
}
