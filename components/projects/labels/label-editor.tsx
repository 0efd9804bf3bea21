"use client";

import { FileInput, Plus } from "lucide-react";
import { Suspense, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { Button } from "@/components/kit/button";
import { focusSoon } from "@/components/kit/focus-soon";
import { plural } from "@/components/kit/format";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { lazyPart } from "@/components/kit/lazy-part";
import { announce } from "@/components/kit/live-region";
import { RadioGroup } from "@/components/kit/radio-group";
import { Skeleton } from "@/components/kit/skeleton";
import { issuesBelow, wholeMessage, type Issue } from "@/domain/issues";
import type { Label } from "@/domain/projects/label-schema";
import { LabelRowEditor } from "./label-row-editor";
import { addRows, changeRow, emptyLabel, moveRow, removeRow, toLabels, type LabelRow } from "./label-rows";
import { RetiredLabels } from "./retired-labels";
import type { ShapeType } from "./task-shapes";

const ImportLabels = lazyDialog(async () => (await import("./import-labels")).ImportLabels);
const LabelJson = lazyPart(async () => (await import("./label-json")).default);

const views = [
  { value: "rows" as const, label: "Rows" },
  { value: "json" as const, label: "JSON" },
];

export interface LabelEditorProps {
  rows: readonly LabelRow[];
  onChange: (rows: LabelRow[]) => void;
  /** The labels that the project has already; none for one that is being made. */
  stored: readonly Label[];
  /** How many results have each label, by id. */
  counts?: Readonly<Record<string, number>> | null | undefined;
  /** What is wrong, by place in the list of labels. */
  issues: readonly Issue[];
  /** The shapes that the project's kind of task can have. */
  shapes: readonly ShapeType[];
  /** Called with whether the JSON holds something that is no list of labels. */
  onBroken: (isBroken: boolean) => void;
  /** Buttons beside those of the list. */
  tools?: ReactNode;
}

/** The labels of a project, as rows or as JSON. Rows move by drag or Alt and arrow keys; retired ones are below. */
export function LabelEditor(props: LabelEditorProps) {
  const { rows, onChange, stored, issues, shapes, onBroken, tools } = props;
  const [view, setView] = useState<"rows" | "json">("rows");
  const [isImporting, setImporting] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const message = wholeMessage(issues);

  const add = (after?: number) => {
    onChange(addRows(rows, [emptyLabel(rows)], after));
    const place = after === undefined ? -1 : rows.findIndex(({ row }) => row === after) + 1;
    focusSoon(() => {
      const names = list.current?.querySelectorAll<HTMLElement>("[data-label-name]");
      return place < 0 ? names?.[names.length - 1] : names?.[place];
    });
  };
  const current = rows.filter(({ label }) => !label.retired);
  const move = (row: number, by: number) => {
    const next = moveRow(rows, row, by);
    // What is moved within the document loses the focus.
    const focused = document.activeElement;
    flushSync(() => onChange(next));
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
    const place = next.findIndex((each) => each.row === row) + 1;
    announce(`Moved to place ${place} of ${current.length}`);
  };

  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <RadioGroup
          layout="segments"
          aria-label="Show labels as"
          options={views}
          value={view}
          onValueChange={(next) => {
            onBroken(false);
            setView(next);
          }}
        />
        <span className="ml-auto flex flex-wrap gap-2">
          {tools}
          <Button icon={<FileInput aria-hidden />} onClick={() => setImporting(true)}>
            Import
          </Button>
        </span>
      </div>
      {isImporting && (
        <ImportLabels
          present={toLabels(rows)}
          shapes={shapes}
          onClose={() => setImporting(false)}
          onAdd={(labels) => {
            onBroken(false);
            setView("rows");
            onChange(addRows(rows, labels));
            announce(`${plural(labels.length, "label")} added`);
          }}
        />
      )}
      {view === "json" ? (
        <Suspense fallback={<Skeleton className="h-60 w-full" />}>
          <LabelJson rows={rows} stored={stored} onChange={onChange} onBroken={onBroken} />
        </Suspense>
      ) : (
        <>
          {current.length === 0 ? (
            <p className="text-table text-muted">No labels: results may name anything.</p>
          ) : (
            <div className="min-w-0">
              <ColumnNames />
              <LabelList {...props} list={list} rows={rows} current={current} onMove={move} onAdd={add} />
            </div>
          )}
          {message !== undefined && (
            <p role="alert" className="text-table text-critical-text">
              {message}
            </p>
          )}
          <Button className="self-start" icon={<Plus aria-hidden />} onClick={() => add()}>
            Add label
          </Button>
          <RetiredLabels {...props} />
        </>
      )}
    </div>
  );
}

/** Over the columns of the rows; every control has a name of its own. */
const ColumnNames = () => (
  <div aria-hidden className="flex gap-2 pb-1 text-meta text-subtle max-sm:hidden">
    <span className="w-15 shrink-0 text-right">Class</span>
    <span className="w-8 shrink-0" />
    <span className="min-w-32 flex-1 basis-32 sm:max-w-88">Name</span>
    <span className="w-40 shrink-0">Shapes</span>
    <span className="w-24 shrink-0">Key</span>
    <span className="w-24 shrink-0 lg:w-66" />
  </div>
);

interface LabelListProps extends LabelEditorProps {
  list: React.RefObject<HTMLOListElement | null>;
  current: readonly LabelRow[];
  onMove: (row: number, by: number) => void;
  onAdd: (after: number) => void;
}

function LabelList({ list, rows, current, stored, counts, issues, shapes, onChange, onMove, onAdd }: LabelListProps) {
  const labels = toLabels(current);
  return (
    <ol ref={list} aria-label="Labels" className="flex flex-col border-b">
      {current.map(({ row, label }, place) => (
        <LabelRowEditor
          key={row}
          label={label}
          number={stored.find(({ id }) => id === label.id)?.number}
          count={label.id === undefined ? undefined : counts?.[label.id]}
          others={labels.filter((other) => other !== label)}
          issues={issuesBelow(
            issues,
            rows.findIndex((each) => each.row === row),
          )}
          shapes={shapes}
          isFirst={place === 0}
          isLast={place === current.length - 1}
          onChange={(change) => onChange(changeRow(rows, row, change))}
          onMove={(by) => onMove(row, by)}
          onAdd={() => onAdd(row)}
          onRemove={() => onChange(removeRow(rows, row))}
        />
      ))}
    </ol>
  );
}
