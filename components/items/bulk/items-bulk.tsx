"use client";

import { Copy, PackageOpen, PencilLine, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { newSliceHref } from "@/components/items/filter/slice-address";
import { Button, ButtonLink } from "@/components/kit/button";
import { useShortcuts } from "@/components/kit/shortcuts";
import { usePermissions } from "@/components/product/permissions";
import { RunModel } from "./run-model";
import { countSelected, exportHref, toFilter, type BulkSelection } from "./selection";
import { useBulkEdits, type BulkEditsOptions } from "./use-bulk-edits";

interface ItemsBulkProps extends BulkEditsOptions {
  selection: BulkSelection;
}

/** A filter holds this many characters at most; more uids than fit make no slice. */
const maxSlicedUids = 100;
/** A run of single items takes this many at most. */
const maxRunUids = 1_000;

/** The buttons for chosen items of a dataset. */
export function ItemsBulk({ selection, ...options }: ItemsBulkProps) {
  const edits = useBulkEdits(options);
  const reason = usePermissions().refusal() ?? (countSelected(selection) === 0 ? "There are no items." : undefined);
  const tooMany = "uids" in selection && selection.uids.length > maxSlicedUids;
  const [running, setRunning] = useState(false);
  useShortcuts([
    {
      keys: "d",
      label: "Copy the selected items",
      group: "Items",
      disabledReason: reason,
      run: () => edits.copy(selection),
    },
  ]);
  const isWhole = "filter" in selection && selection.filter === "";
  const cannotRun =
    "uids" in selection && selection.uids.length > maxRunUids
      ? `A model runs over at most ${maxRunUids} items that are selected one by one, or over a filter.`
      : undefined;
  return (
    <>
      <ButtonLink
        size="sm"
        href={newSliceHref({ dataset: options.dataset, filter: tooMany ? "" : toFilter(selection) })}
        disabledReason={reason ?? (tooMany ? `A slice of single items has at most ${maxSlicedUids}.` : undefined)}
      >
        Save as slice
      </ButtonLink>
      <ButtonLink
        size="sm"
        href={exportHref(options.dataset, tooMany ? { uids: [] } : selection)}
        icon={<PackageOpen aria-hidden />}
        disabledReason={reason ?? (tooMany ? `An export of single items has at most ${maxSlicedUids}.` : undefined)}
      >
        Export items
      </ButtonLink>
      <Button size="sm" icon={<Copy aria-hidden />} disabledReason={reason} onClick={() => edits.copy(selection)}>
        Copy to
      </Button>
      <Button
        size="sm"
        icon={<Play aria-hidden />}
        disabledReason={reason ?? cannotRun}
        onClick={() => setRunning(true)}
      >
        Run a model
      </Button>
      <Button
        size="sm"
        icon={<PencilLine aria-hidden />}
        disabledReason={reason}
        onClick={() => edits.setMetadata(selection)}
      >
        Set metadata
      </Button>
      <Button
        size="sm"
        variant="danger-quiet"
        icon={<Trash2 aria-hidden />}
        disabledReason={reason}
        onClick={() => edits.confirmDelete(selection)}
      >
        Delete
      </Button>
      {edits.dialogs}
      <RunModel
        dataset={options.dataset}
        selection={isWhole ? null : selection}
        open={running}
        onClose={() => setRunning(false)}
        onMoved={options.onMoved}
      />
    </>
  );
}
