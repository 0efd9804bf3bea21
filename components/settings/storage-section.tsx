"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { formatBytes, formatNumber } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { Section } from "@/components/kit/page-header";
import { Progress } from "@/components/kit/progress";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";

/** What the organization has in the installation's own store, and how much of its quota that is. */
export function StorageSection() {
  const trpc = useTRPC();
  const query = useQuery(trpc.organizations.storage.queryOptions());
  const use = query.data;
  return (
    <Section
      title="Storage"
      description={
        <>
          What is in the storage of this installation. Your own buckets are listed under{" "}
          <Link href="/storage" className="text-accent-text underline">
            Storage
          </Link>
          .
        </>
      }
    >
      {query.error && !use ? (
        <ErrorState error={query.error} title="The storage could not be loaded" onRetry={() => void query.refetch()} />
      ) : !use ? (
        <SkeletonText lines={4} />
      ) : (
        <div className="flex flex-col gap-4">
          {use.quota_bytes !== null && <QuotaBar used={use.total_bytes} quota={use.quota_bytes} />}
          <KeyValue
            items={[
              ["Recordings", formatBytes(use.recording_bytes)],
              ["Datasets", formatBytes(use.dataset_bytes)],
              ["Exports", formatBytes(use.export_bytes)],
              ["Robot descriptions", formatBytes(use.robot_description_bytes)],
              ["Uploads under way", formatBytes(use.upload_bytes)],
              ["Together", `${formatBytes(use.total_bytes)} in ${formatNumber(use.files, 0)} files`],
              ...(use.quota_bytes === null ? [["Quota", "None"] as const] : []),
            ]}
          />
        </div>
      )}
    </Section>
  );
}

function QuotaBar({ used, quota }: { used: number; quota: number }) {
  const full = used >= quota;
  return (
    <div>
      <p className="mb-1 text-table">
        {formatBytes(used)} of {formatBytes(quota)} used
      </p>
      <Progress share={quota === 0 ? 1 : Math.min(1, used / quota)} label="Used of the quota" />
      {full && (
        <p className="mt-1 text-table text-critical-text">
          The quota is used up: uploads are refused. Delete something, or ask the operator for more.
        </p>
      )}
    </div>
  );
}
