"use client";

import { useState } from "react";
import { FilterBox } from "@/components/items/filter/filter-box";
import { readFilter } from "@/components/items/filter/read-filter";
import { newSliceHref } from "@/components/items/filter/slice-address";
import { useItemCount } from "@/components/items/filter/use-item-count";
import { Button, ButtonLink } from "@/components/kit/button";
import { formatNumber } from "@/components/kit/format";

interface GridFilterProps {
  dataset: string;
  /** The filter that the grid shows. */
  value: string;
  onRun: (filter: string) => void;
}

function Draft({ dataset, value, onRun }: GridFilterProps) {
  const [draft, setDraft] = useState(value);
  const changed = draft.trim() !== value.trim();
  const counted = useItemCount({ datasets: changed ? [dataset] : [], filter: draft });
  const { fault } = readFilter(draft);
  const run = () => {
    if (!fault) onRun(draft);
  };
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-start gap-2">
      <div className="min-w-52 flex-1">
        <FilterBox datasets={[dataset]} value={draft} onChange={setDraft} onRun={run} label="Filter items" />
      </div>
      {changed && (
        <span className="flex h-8 items-center gap-2 text-meta text-muted tabular-nums">
          <span role="status">
            {counted.state === "exact" && counted.count !== undefined && `holds ${formatNumber(counted.count, 0)}`}
            {counted.state === "counting" && "counting…"}
          </span>
          <Button size="sm" disabled={fault !== null} onClick={run}>
            Apply
          </Button>
        </span>
      )}
      {!changed && value !== "" && (
        <>
          <ButtonLink variant="ghost" href={newSliceHref({ dataset, filter: value })}>
            Save as slice
          </ButtonLink>
          <Button variant="ghost" onClick={() => onRun("")}>
            Clear
          </Button>
        </>
      )}
    </div>
  );
}

/** The filter box of a grid, with what a changed filter would hold before it is applied. */
export const GridFilter = (props: GridFilterProps) => <Draft key={props.value} {...props} />;
