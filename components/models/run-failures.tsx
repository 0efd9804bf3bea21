"use client";

import { skipToken, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { itemHref } from "@/components/items/item-links";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { nextPage } from "@/components/list/list-input";
import { useTRPC } from "@/components/trpc/client";
import type { Run } from "./query";

/** The items that failed for one reason. */
function FailedItems({ run, error }: { run: Run; error: string }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(trpc.runs.failures.infiniteQueryOptions({ uid: run.uid, error, limit: 50 }, nextPage));
  const { dataset_owner: owner, dataset_slug: slug } = run;
  return (
    <div className="flex flex-col gap-2 pt-2 pl-4">
      <ul aria-label={`Items that failed: ${error}`} className="font-mono text-meta leading-5">
        {query.data?.pages
          .flatMap(({ results }) => results)
          .map(({ uid, key }) => (
            <li key={uid} className="truncate">
              {owner === null || slug === null ? (
                key
              ) : (
                <Link
                  href={itemHref({ owner, slug }, uid)}
                  prefetch={false}
                  className="text-accent-text hover:underline"
                >
                  {key}
                </Link>
              )}
            </li>
          ))}
      </ul>
      {query.hasNextPage && (
        <Button size="sm" className="self-start" onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
    </div>
  );
}

/** Why items of a run failed, each reason with how many, and the items on demand. */
export function RunFailures({ run }: { run: Run }) {
  const trpc = useTRPC();
  const [open, setOpen] = useState<string | null>(null);
  const reasons = useQuery(trpc.runs.reasons.queryOptions(run.failed_count > 0 ? { uid: run.uid } : skipToken)).data;
  return (
    <ul aria-label="Reasons of failures" className="flex max-w-172 flex-col text-table">
      {reasons?.map(({ error, count }) => (
        <li key={error} className="border-t py-2 first:border-t-0">
          <button
            type="button"
            aria-expanded={open === error}
            className="flex w-full items-baseline justify-between gap-4 rounded-control text-left"
            onClick={() => setOpen(open === error ? null : error)}
          >
            <span className="min-w-0 break-words">{error}</span>
            <span className="shrink-0 text-muted">{plural(count, "item")}</span>
          </button>
          {open === error && <FailedItems run={run} error={error} />}
        </li>
      ))}
    </ul>
  );
}
