"use client";

import { BulkEditList } from "@/components/items/bulk/bulk-edit-list";
import { ItemsBulk } from "@/components/items/bulk/items-bulk";
import { ItemGrid } from "@/components/items/grid/item-grid";
import { ButtonLink } from "@/components/kit/button";
import type { Dataset } from "./query";
import { UploadToDataset } from "./upload-to-dataset";

/** The items of a dataset, and the changes to many of them that are under way. */
export function ItemsTab({ dataset }: { dataset: Dataset }) {
  return (
    <>
      <div className="px-4 empty:hidden sm:px-6">
        <BulkEditList dataset={dataset.uid} />
      </div>
      <ItemGrid
        source={{ dataset: dataset.uid, owner: dataset.owner_name, slug: dataset.slug }}
        emptyAction={
          <div className="flex flex-wrap gap-2">
            <UploadToDataset dataset={dataset} />
            <ButtonLink href="/recordings">Add from recordings</ButtonLink>
          </div>
        }
        selectionActions={(selection, clear) => (
          <ItemsBulk dataset={dataset.uid} selection={selection} onStarted={clear} />
        )}
      />
    </>
  );
}
