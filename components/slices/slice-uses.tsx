"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { exportLooks } from "@/components/exports/labels";
import { exportHref } from "@/components/exports/query";
import { plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { projectLooks } from "@/components/projects/labels";
import { projectHref } from "@/components/projects/query";
import { useTRPC } from "@/components/trpc/client";

/** The projects that annotate a slice, and the exports that are made of it. */
export function SliceUses({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.slices.usedBy.queryOptions({ uid }));
  if (query.error && !query.data)
    return (
      <ErrorState
        error={query.error}
        title="What uses it could not be loaded"
        onRetry={() => void query.refetch()}
        className="py-4"
      />
    );
  if (!query.data) return <SkeletonText lines={2} />;
  const { projects, exports, export_count: count } = query.data;
  if (count === 0 && projects.length === 0) return <p className="text-table text-muted">Nothing uses it yet.</p>;
  return (
    <div className="flex flex-col gap-2 text-table">
      {projects.length > 0 && (
        <ul aria-label="Projects over it" className="flex flex-col">
          {projects.map(({ uid: of, name, status, created_at: at }) => (
            <Use key={of} href={projectHref(of)} name={name} status={projectLooks[status].label} at={at} />
          ))}
        </ul>
      )}
      {exports.length > 0 && (
        <ul aria-label="Exports of it" className="flex flex-col">
          {exports.map(({ uid: of, name, status, created_at: at }) => (
            <Use key={of} href={exportHref(of)} name={name} status={exportLooks[status].label} at={at} />
          ))}
        </ul>
      )}
      {count > exports.length && (
        <p className="text-meta text-muted">
          The newest {exports.length} of {plural(count, "export")}.
        </p>
      )}
    </div>
  );
}

const Use = ({ href, name, status, at }: { href: string; name: string; status: string; at: string }) => (
  <li className="flex min-w-0 items-baseline gap-3 border-t border-border py-1">
    <Link href={href} className="min-w-0 flex-1 truncate text-accent-text hover:underline" title={name}>
      {name}
    </Link>
    <span className="shrink-0 text-muted">{status}</span>
    <span className="w-24 shrink-0 text-right text-muted">
      <RelativeTime value={at} rich={false} />
    </span>
  </li>
);
