"use client";

import { useQuery } from "@tanstack/react-query";
import { formatBytes, formatNumber, plural } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { Truncate } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import type { Bucket } from "./query";

/** What of Muster is in a bucket: its largest datasets, and recordings and exports together. */
export function StorageUsage({ bucket }: { bucket: Bucket }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.storage.usage.queryOptions({ uid: bucket.uid }));
  const usage = query.data;
  return (
    <Section
      title="Contents"
      description={
        usage && usage.objects > 0
          ? `${plural(usage.objects, "object")}, ${formatBytes(usage.bytes)}${usage.recordings > 0 ? `, of ${plural(usage.recordings, "recording")}` : ""}${usage.exports > 0 ? `, ${plural(usage.exports, "export")}` : ""}.`
          : "What Muster stored there, without thumbnails."
      }
    >
      {query.error && !usage ? (
        <ErrorState error={query.error} title="Its use could not be loaded" onRetry={() => void query.refetch()} />
      ) : !usage ? (
        <SkeletonText lines={3} />
      ) : usage.dataset_count === 0 ? (
        <p className="text-table text-muted">
          {usage.objects === 0
            ? "Nothing yet. Choose the bucket when you upload a recording, create a dataset or create an export."
            : "No dataset."}
        </p>
      ) : (
        <>
          <table className="w-full table-fixed text-table">
            <thead>
              <tr className="border-b text-left text-meta text-subtle">
                <th scope="col" className="py-1.5 font-normal">
                  Dataset
                </th>
                <th scope="col" className="w-28 py-1.5 text-right font-normal">
                  Items
                </th>
                <th scope="col" className="w-28 py-1.5 text-right font-normal">
                  Bytes
                </th>
              </tr>
            </thead>
            <tbody>
              {usage.datasets.map((dataset) => (
                <tr key={dataset.uid} className="border-b">
                  <td className="py-1.5">
                    <Truncate text={dataset.name} />
                  </td>
                  <td className="py-1.5 text-right tabular-nums">{formatNumber(dataset.items, 0)}</td>
                  <td className="py-1.5 text-right tabular-nums">{formatBytes(dataset.bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {usage.dataset_count > usage.datasets.length && (
            <p className="mt-2 text-meta text-muted">
              The {usage.datasets.length} largest of {plural(usage.dataset_count, "dataset")}.
            </p>
          )}
        </>
      )}
    </Section>
  );
}
