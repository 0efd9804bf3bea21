"use client";

import type { ReactNode } from "react";
import { withoutCondition } from "@/components/items/filter/read-filter";
import { useItemCount } from "@/components/items/filter/use-item-count";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { formatNumber } from "@/components/kit/format";

interface NoMatchProps {
  dataset: string;
  /** What items have to match in any case. */
  base: string;
  filter: string;
  onChange: (filter: string) => void;
}

/** The way out of a filter that holds nothing: without the condition that removes most. */
function NoMatch({ dataset, base, filter, onChange }: NoMatchProps) {
  const counted = useItemCount({ datasets: base === "" ? [dataset] : [], filter });
  const conditions = counted.conditions ?? [];
  const best = conditions.reduce(
    (most, { without }, at) => (without > (conditions[most]?.without ?? 0) ? at : most),
    0,
  );
  const condition = conditions[best];
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-16 text-center">
      <h2 className="text-body font-medium">No items match this filter</h2>
      <div className="flex flex-wrap justify-center gap-2">
        {conditions.length > 1 && condition && condition.without > 0 && (
          <Button onClick={() => onChange(withoutCondition(filter, conditions, best))}>
            Without {condition.text}: {formatNumber(condition.without, 0)}
          </Button>
        )}
        <Button onClick={() => onChange("")}>Clear the filter</Button>
      </div>
    </div>
  );
}

/** Why a grid shows nothing. */
export function GridEmpty({ action, ...rest }: NoMatchProps & { action?: ReactNode }) {
  if (rest.filter !== "") return <NoMatch {...rest} />;
  return rest.base === "" ? (
    <EmptyState
      kind="nothing-yet"
      title="Nothing in it yet"
      description="Drop files here, or add moments from recordings."
      action={action}
    />
  ) : (
    <p className="px-4 py-16 text-center text-table text-muted">No items match.</p>
  );
}
