"use client";

import { ItemCount } from "@/components/items/filter/item-count";
import type { ItemCountState } from "@/components/items/filter/use-item-count";
import { formatNumber } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { Sweep } from "@/components/kit/sweep";
import { ErrorState } from "@/components/product/error-state";
import { Status } from "@/components/product/status";
import { ClassTable } from "../export-contents";
import type { PreviewState } from "./use-export-preview";

const number = (value: number): string => formatNumber(value, 0);

interface HoldsProps {
  counted: ItemCountState;
  filter: string;
  onFilterChange: (filter: string) => void;
  state: PreviewState;
  chosen: boolean;
  /** The format numbers the labels. */
  numbered: boolean;
}

/** What the selection holds: how many items, some of them, and their shapes by label. */
export function Holds({ counted, filter, onFilterChange, state, chosen, numbered }: HoldsProps) {
  const { preview, waiting, error, refusal, refresh } = state;
  if (!chosen) return <p className="text-table text-muted">Choose a source to see what the export holds.</p>;
  return (
    <div className="flex min-w-0 flex-col gap-4 text-table">
      <ItemCount counted={counted} filter={filter} onChange={onFilterChange} />
      {error && !refusal && !preview ? (
        <ErrorState error={error} title="The export could not be previewed" onRetry={refresh} className="py-6" />
      ) : (
        <div aria-busy={waiting}>
          {waiting && preview && <Sweep />}
          <div className="flex flex-col gap-4">
            {preview ? <Labels preview={preview} numbered={numbered} /> : waiting && <SkeletonText lines={3} />}
          </div>
        </div>
      )}
    </div>
  );
}

/** The results and labels of the items, as the export writes them. */
function Labels({ preview, numbered }: { preview: NonNullable<PreviewState["preview"]>; numbered: boolean }) {
  const { count, examined, labels } = preview;
  const withoutAccepted = preview.without_accepted ?? 0;
  return (
    <>
      {withoutAccepted > 0 && (
        <Status tone="warning">
          <span className="whitespace-normal">{number(withoutAccepted)} without an accepted result</span>
        </Status>
      )}
      {labels.length > 0 && (
        <ClassTable
          label="Shapes per label"
          numbered={numbered}
          classes={labels.map(({ label, shapes }) => ({ name: label, count: shapes }))}
        />
      )}
      {(count === null || examined < count) && (
        <p className="text-meta text-muted">
          Counting takes longer than 2 s: labels, losses and parts are those of the first {number(examined)} items.
        </p>
      )}
    </>
  );
}
