"use client";

import { useQuery } from "@tanstack/react-query";
import { Button } from "@/components/kit/button";
import { formatNumber } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { type AnnotationImport, earlierInput, statusLabels } from "./query";

/** The newest imports of a project; each can be opened. Nothing where there is none. */
export function EarlierImports({ project, onOpen }: { project: string; onOpen: (uid: string) => void }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.imports.list.queryOptions(earlierInput(project)));
  if (query.error && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} className="py-4" />;
  if (!query.data) return <SkeletonText lines={2} />;
  const { results } = query.data;
  if (results.length === 0) return null;
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-table font-medium">Earlier imports</h3>
      <ul className="flex max-h-60 flex-col overflow-y-auto border-y border-border text-table" tabIndex={0}>
        {results.map((each) => (
          <li key={each.uid} className="flex items-center gap-3 border-b border-border py-1.5 last:border-0">
            <span className="flex min-w-0 flex-1 flex-col">
              <span className="wrap-anywhere">{each.file_name}</span>
              <span className="text-meta text-muted">
                {describe(each)}, {each.created_by_name}, <RelativeTime value={each.created_at} />
              </span>
            </span>
            <Button size="sm" aria-label={`Open the import of ${each.file_name}`} onClick={() => onOpen(each.uid)}>
              Open
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const describe = ({ status, done, total, started_at: startedAt }: AnnotationImport): string =>
  startedAt === null || total === null
    ? statusLabels[status]
    : `${statusLabels[status]}: ${formatNumber(done, 0)} of ${formatNumber(total, 0)} pictures`;
