"use client";

import { Copy, PencilLine, Trash2 } from "lucide-react";
import { newSliceHref } from "@/components/item-filter/slice-address";
import { Button, ButtonLink } from "@/components/kit/button";
import { usePermissions } from "@/components/product/permissions";
import { countSelected, toFilter, type BulkSelection } from "./selection";
import { useBulkEdits, type BulkEditsOptions } from "./use-bulk-edits";

interface ItemsBulkProps extends BulkEditsOptions {
  selection: BulkSelection;
}

/** A filter holds this many characters at most; more uids than fit make no slice. */
const maxSlicedUids = 100;

/** The buttons for chosen items of a dataset. */
export function ItemsBulk({ selection, ...options }: ItemsBulkProps) {
  const edits = useBulkEdits(options);
  const reason = usePermissions().refusal() ?? (countSelected(selection) === 0 ? "There are no items." : undefined);
  const tooMany = "uids" in selection && selection.uids.length > maxSlicedUids;
  return (
    <>
      <ButtonLink
        size="sm"
        href={newSliceHref({ dataset: options.dataset, filter: tooMany ? "" : toFilter(selection) })}
        disabledReason={reason ?? (tooMany ? `A slice of single items has at most ${maxSlicedUids}.` : undefined)}
      >
        Save as slice
      </ButtonLink>
      <Button size="sm" icon={<Copy aria-hidden />} disabledReason={reason} onClick={() => edits.copy(selection)}>
        Copy to
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
    </>
  );
}
