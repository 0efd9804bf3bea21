import { formatNumber, plural } from "@/components/kit/format";
import type { Source } from "./task-types";

/** Tasks that are worked in one batch, as the server makes them. */
const batchSize = 100;

/** How many tasks, in how many batches, a project over datasets has: "4,000 tasks in 40 batches". */
export function describeTasks(sources: readonly Source[]): string {
  const count = sources.reduce((sum, { item_count: items }) => sum + items, 0);
  return `${plural(count, "task")} in ${plural(Math.ceil(count / batchSize), "batch", "batches")}`;
}

/** What a project over datasets makes, as long as it can be said. */
export function WhatItMakes({ sources }: { sources: readonly Source[] | undefined }) {
  if (sources === undefined) return <p className="text-table text-muted">Counting</p>;
  if (sources.length === 0)
    return <p className="text-table text-muted">Every item of the chosen datasets and slices becomes a task.</p>;
  const pending = sources.reduce((sum, { pending_count: count }) => sum + count, 0);
  return (
    <div className="flex flex-col gap-1 text-table">
      <p className="text-section font-semibold tabular-nums">{describeTasks(sources)}</p>
      {pending > 0 && (
        <p className="text-muted">
          {formatNumber(pending, 0)} of the items {pending === 1 ? "is" : "are"} still being read and{" "}
          {pending === 1 ? "gets its task" : "get their tasks"} after that.
        </p>
      )}
      <p className="text-muted">Items that are added later get theirs, too.</p>
    </div>
  );
}
