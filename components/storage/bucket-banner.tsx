"use client";

import { TriangleAlert } from "lucide-react";
import Link from "next/link";
import { plural } from "@/components/kit/format";
import { RelativeTime } from "@/components/kit/time";
import { checkTexts } from "./labels";
import { type Bucket, firstFailure, storageHref } from "./query";

/** Buckets whose last test found something while datasets are kept in them, with what to change. */
export function BucketBanner({ buckets, linked = true }: { buckets: readonly Bucket[]; linked?: boolean }) {
  const failing = buckets.filter((bucket) => firstFailure(bucket) !== null && bucket.used_by.datasets > 0);
  if (failing.length === 0) return null;
  return (
    <ul aria-label="Failing buckets" className="flex shrink-0 flex-col border-y bg-background">
      {failing.map((bucket) => {
        const failure = firstFailure(bucket);
        if (!failure) return null;
        return (
          <li key={bucket.uid} className="flex items-start gap-2 px-4 py-2 text-table sm:px-6">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
            <p className="min-w-0 break-words">
              {linked ? (
                <Link
                  href={storageHref(bucket.uid)}
                  className="rounded-control font-medium text-accent-text hover:underline"
                >
                  {bucket.name}
                </Link>
              ) : (
                <span className="font-medium">{bucket.name}</span>
              )}{" "}
              fails its test: {checkTexts[failure.name].label.toLowerCase()}. {failure.message}
              {/* A line of its own, so that the time does not wrap the sentence anew as it grows. */}
              <span className="block text-muted">
                {plural(bucket.used_by.datasets, "dataset is", "datasets are")} kept in it
                {bucket.failing_since !== null && (
                  <>
                    ; failing since <RelativeTime value={bucket.failing_since} rich={false} />
                  </>
                )}
                .
              </span>
            </p>
          </li>
        );
      })}
    </ul>
  );
}
