import { z } from "zod";
import { distinct, jsonObject, longPage, uid } from "@/domain/fields";
import { filterText } from "@/domain/items/filter-text";

export const bulkEditKinds = ["metadata", "undo", "delete", "copy"] as const;
export type BulkEditKind = (typeof bulkEditKinds)[number];
export const bulkEditStatuses = ["running", "done", "failed", "stopped"] as const;

/** How many items can be named; a filter takes any number. */
const maxNamedItems = 10_000;

/** Items of a dataset: those named, or those of a filter, of which there have to be as many as was shown. */
const selection = {
  dataset: uid(),
  uids: distinct(uid(), maxNamedItems, 1).optional(),
  filter: filterText().optional(),
  expected: z.int().min(1).optional(),
};

interface Chosen {
  uids?: string[] | undefined;
  filter?: string | undefined;
  expected?: number | undefined;
}
const hasOne = ({ uids, filter, expected }: Chosen): boolean =>
  uids === undefined ? filter !== undefined && expected !== undefined : filter === undefined;
const either = { error: "Name uids, or a filter with the number of items that is expected." };

export const UpdateItems = z.object({ ...selection, metadata: jsonObject() }).refine(hasOne, either);
export const DeleteItems = z.object(selection).refine(hasOne, either);
export const CopyItems = z.object({ ...selection, target: uid() }).refine(hasOne, either);
export type ItemSelection = z.output<typeof DeleteItems>;

export const BulkEditUid = z.object({ uid: uid() });
export const BulkEditsInDataset = z.object({ dataset: uid() });
export const BulkEditFailureFilters = z.object({ uid: uid(), ...longPage() });
export type BulkEditFailureFilters = z.output<typeof BulkEditFailureFilters>;
