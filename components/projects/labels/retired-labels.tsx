import { Undo2 } from "lucide-react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import type { Label } from "@/domain/projects/label-schema";
import { changeRow, type LabelRow } from "./label-rows";
import { Swatch } from "./swatch";

/** The labels that new shapes may not have any more; each can come back. */
export function RetiredLabels(props: {
  rows: readonly LabelRow[];
  stored: readonly Label[];
  counts?: Readonly<Record<string, number>> | null | undefined;
  onChange: (rows: LabelRow[]) => void;
}) {
  const { rows, stored, counts, onChange } = props;
  const retired = rows.filter(({ label }) => label.retired);
  if (retired.length === 0) return null;
  return (
    <section aria-label="Retired labels" className="flex flex-col text-table text-muted">
      <h3 className="pb-1 text-meta text-subtle">Retired: no new shapes, and their classes stay theirs</h3>
      <ul className="flex flex-col border-b">
        {retired.map(({ row, label }) => {
          const count = label.id === undefined ? undefined : counts?.[label.id];
          return (
            <li key={row} className="flex min-h-9 min-w-0 items-center gap-2 border-t py-0.5">
              <span className="w-15 shrink-0 text-right tabular-nums">
                {stored.find(({ id }) => id === label.id)?.number ?? "new"}
              </span>
              <span className="flex w-8 shrink-0 justify-center">
                <Swatch color={label.color} />
              </span>
              <span className="min-w-0 flex-1 truncate" title={label.name}>
                {label.name}
              </span>
              {count !== undefined && <span className="shrink-0 tabular-nums">{plural(count, "result")}</span>}
              <Button
                size="sm"
                variant="ghost"
                icon={<Undo2 aria-hidden />}
                aria-label={`Bring back ${label.name}`}
                onClick={() => onChange(changeRow(rows, row, { retired: false }))}
              >
                Bring back
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
