"use client";

import { useQuery } from "@tanstack/react-query";
import { Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The last changes of a device's metadata, key by key: the values before and after. */
export function MetadataHistory({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.fleet.metadataChanges.queryOptions({ uid }));
  return (
    <Section title="Last changes" description="The ten newest changes of the metadata">
      {query.error && !query.data ? (
        <ErrorState error={query.error} title="The changes could not be loaded" onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <SkeletonText lines={4} />
      ) : query.data.length === 0 ? (
        <p className="border-t py-3 text-table text-subtle">Not changed since the device was registered.</p>
      ) : (
        <ol className="border-t">
          {query.data.map((entry) => (
            <li key={entry.uid} className="border-b py-2">
              <p className="mb-1 flex justify-between gap-4 text-meta text-subtle">
                <span className="truncate">{entry.by}</span>
                <RelativeTime value={entry.at} />
              </p>
              <ul className="font-mono text-meta">
                {entry.changes.map(({ key, before, after }) => (
                  <li key={key} className="min-w-0">
                    {before !== undefined && (
                      <del className="block truncate text-critical-text no-underline" title={text(before)}>
                        − {key}: {text(before)}
                      </del>
                    )}
                    {after !== undefined && (
                      <ins className="block truncate text-online-text no-underline" title={text(after)}>
                        + {key}: {text(after)}
                      </ins>
                    )}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
