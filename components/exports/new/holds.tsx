"use client";

import { cn } from "@/components/kit/cn";
import { formatNumber, plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { TruncateMiddle } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { Status } from "@/components/product/status";
import { ClassTable } from "../export-contents";
import type { PreviewState } from "./use-export-preview";

const number = (value: number): string => formatNumber(value, 0);

/** The line that says how many items there are, also while that is not known. */
function CountLine({ state: { preview, waiting } }: { state: PreviewState }) {
  if (!preview) return <>Counting…</>;
  const { count, examined } = preview;
  return (
    <>
      <span>
        {count === null ? (
          <>Counting takes longer than 2 s and was stopped. The export counts them itself.</>
        ) : (
          <>
            Holds <strong className="font-medium text-foreground">{number(count)}</strong>{" "}
            {count === 1 ? "item" : "items"}
          </>
        )}
      </span>
      {waiting && <span className="text-subtle">counting…</span>}
      {!waiting && count !== null && examined < count && (
        <span>Labels are counted in the first {number(examined)} of them.</span>
      )}
    </>
  );
}

/** What the selection holds: how many items, five of them, and their shapes by label. */
export function Holds({ state, chosen, numbered }: { state: PreviewState; chosen: boolean; numbered: boolean }) {
  const { preview, waiting, error, refresh } = state;
  if (!chosen) return <p className="text-table text-muted">Choose a source to see what the export holds.</p>;
  if (error && !preview)
    return <ErrorState error={error} title="The export could not be previewed" onRetry={refresh} className="py-6" />;
  return (
    <div className={cn("flex min-w-0 flex-col gap-4 text-table", waiting && preview && "opacity-70")}>
      <div className="flex flex-col gap-1">
        <p role="status" className="flex min-h-5 flex-wrap items-center gap-x-3 text-muted tabular-nums">
          <CountLine state={state} />
        </p>
        {preview && (preview.without_accepted ?? 0) > 0 && (
          <p>
            <Status tone="warning">
              <span className="whitespace-normal">
                {number(preview.without_accepted ?? 0)} without an accepted result
              </span>
            </Status>
          </p>
        )}
      </div>
      {!preview && <SkeletonText lines={5} />}
      {preview && preview.labels.length > 0 && (
        <ClassTable
          label="Shapes per label"
          numbered={numbered}
          classes={preview.labels.map(({ label, shapes }) => ({ name: label, count: shapes }))}
        />
      )}
      {preview && preview.samples.length > 0 && (
        <div>
          <h3 className="mb-1 text-meta text-subtle">
            {preview.samples.length < (preview.count ?? Infinity) ? "The first of them" : "All of them"}
          </h3>
          <ul aria-label="Items" className="flex flex-col">
            {preview.samples.map((item) => (
              <li key={item.uid} className="flex min-w-0 items-baseline gap-3 border-t border-border py-1">
                <TruncateMiddle text={item.key} className="min-w-0 flex-1 font-mono text-meta leading-5" />
                <span className="max-w-40 truncate text-meta text-muted max-sm:hidden" title={item.dataset_name}>
                  {item.dataset_name}
                </span>
                <span className="w-20 shrink-0 text-right text-meta text-muted tabular-nums">
                  {plural(item.results, "result")}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
