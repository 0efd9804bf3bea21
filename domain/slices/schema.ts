import { z } from "zod";
import { longPage, nonBlank, ordered, text, uid } from "@/domain/fields";
import { filterText } from "@/domain/items/filter-text";
import { maxNameLength } from "@/domain/limits";

export const CreateSlice = z.object({
  name: nonBlank(maxNameLength),
  dataset: uid(),
  description: text().optional(),
  /** Additive: which items it holds; all of them when absent. */
  filter_query_string: filterText().optional(),
});
export type CreateSlice = z.output<typeof CreateSlice>;

/** The slug never changes, so that links stay valid. */
export const UpdateSlice = z.object({
  name: nonBlank(maxNameLength).optional(),
  description: text().optional(),
  filter_query_string: filterText().optional(),
});
export type UpdateSlice = z.output<typeof UpdateSlice>;

export const SliceFilters = z.object({ ordering: ordered(["created_at", "name"]), ...longPage() });
export type SliceFilters = z.output<typeof SliceFilters>;

export const SliceItemFilters = z.object(longPage());
export type SliceItemFilters = z.output<typeof SliceItemFilters>;

export const ValidateSliceName = z.object({ name: z.string() });

export const SliceOwner = z.object({ owner: z.string() });
export const SlicePath = z.object({ owner: z.string(), slug: z.string() });
export type SlicePath = z.output<typeof SlicePath>;
export const SlicedDataset = z.object({ uid: uid() });

export const SliceUid = z.object({ uid: uid() });
/** What the dashboard changes of a slice. */
export const ChangeSlice = z.object({ uid: uid(), change: UpdateSlice });
