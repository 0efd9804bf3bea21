"use client";

import { useState, type ReactNode } from "react";
import type { DatasetAddress } from "@/components/items/item-links";
import type { ViewedItem } from "@/components/items/item-type";
import { Provenance } from "@/components/items/provenance";
import { ResultLine } from "@/components/items/result-line";
import { Button } from "@/components/kit/button";
import { Disclosure } from "@/components/kit/disclosure";
import { plural } from "@/components/kit/format";
import { RelativeTime } from "@/components/kit/time";
import { Status } from "@/components/product/status";
import { ItemActivity } from "./item-activity";
import { MetadataEditor } from "./metadata-editor";
import { ShapeList } from "./shape-list";
import type { ItemShapes } from "./use-item-shapes";
import { ViewNumbers } from "./view-numbers";

interface ItemPanelProps {
  dataset: DatasetAddress;
  item: ViewedItem;
  shapes: ItemShapes;
  /** Has the shapes of a run drawn. */
  onRun: (uid: string) => void;
}

function Part({
  title,
  count,
  children,
  closed = false,
}: {
  title: string;
  count?: number;
  children: ReactNode;
  closed?: boolean;
}) {
  const [open, setOpen] = useState(!closed);
  return (
    <section className="border-b px-4 py-3">
      <Disclosure
        open={open}
        onOpenChange={setOpen}
        label={
          <h2 className="text-table font-semibold">
            {title}
            {count !== undefined && <span className="ml-1.5 font-normal text-subtle tabular-nums">{count}</span>}
          </h2>
        }
      >
        <div className="pt-2">{open && children}</div>
      </Disclosure>
    </section>
  );
}

/** Everything about an item beside its picture. */
export function ItemPanel({ dataset, item, shapes, onRun }: ItemPanelProps) {
  const { result, ofResult, runs, hidden, hide, selected, select } = shapes;
  const list = { hidden, onHide: hide, selected, onSelect: select };
  return (
    <div className="flex flex-col">
      <Part title="Shapes" count={ofResult.length}>
        {result && (
          <p className="mb-1 text-meta text-subtle">
            <ResultLine result={result} />
          </p>
        )}
        {ofResult.length > 0 ? (
          <ShapeList label="Shapes" shapes={ofResult} {...list} />
        ) : (
          <p className="text-table text-subtle">
            {result ? "The result has no shapes." : "Nobody has labelled it yet."}
          </p>
        )}
      </Part>
      {runs.length > 0 && (
        <Part title="Predictions" count={runs.reduce((sum, run) => sum + run.shapes.length, 0)}>
          {runs.map((run) => (
            <div key={run.uid} className="mb-2">
              <p className="flex items-center gap-2 text-meta text-subtle">
                <span className="min-w-0 flex-1">
                  {run.model}, {plural(run.shapes.length, "shape")} <RelativeTime value={run.created_at} rich={false} />
                </span>
                {runs.length > 1 && (
                  <Button
                    size="sm"
                    variant="ghost"
                    aria-pressed={run.uid === shapes.run}
                    className={run.uid === shapes.run ? "bg-selected text-foreground" : undefined}
                    onClick={() => onRun(run.uid)}
                  >
                    {run.uid === shapes.run ? "Drawn" : "Draw"}
                  </Button>
                )}
              </p>
              <ShapeList label={`Predictions of ${run.model}`} shapes={run.shapes} {...list} />
            </div>
          ))}
        </Part>
      )}
      <Part title="Provenance">
        <Provenance item={item} />
      </Part>
      <Part title="Metadata">
        <MetadataEditor dataset={dataset} item={item} />
        <ViewNumbers dataset={dataset} item={item} />
      </Part>
      <Part title="Tasks and results" count={item.tasks.length}>
        <Tasks item={item} />
      </Part>
      <Part title="Activity" closed>
        <ItemActivity dataset={dataset} uid={item.uid} />
      </Part>
    </div>
  );
}

const taskLabels = { pending: "to do", in_progress: "in work", completed: "submitted" } as const;

function Tasks({ item }: { item: ViewedItem }) {
  if (item.tasks.length === 0) return <p className="text-table text-subtle">No project has a task of it.</p>;
  return (
    <ul aria-label="Tasks" className="flex flex-col gap-2 text-table">
      {item.tasks.map((task) => (
        <li key={task.uid}>
          <p className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">{task.project_name}</span>
            <Status tone={task.status === "completed" ? "online" : "neutral"}>{taskLabels[task.status]}</Status>
          </p>
          {task.assignee !== null && <p className="text-meta text-subtle">Assigned to {task.assignee}</p>}
          <ul className="text-meta text-muted">
            {item.results
              .filter(({ task_uid: of }) => of === task.uid)
              .map((result) => (
                <li key={result.uid}>
                  {plural(result.annotation_count, "shape")}, {result.status}, by {result.submitted_by || "an agent"}{" "}
                  <RelativeTime value={result.created_at} rich={false} />
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
