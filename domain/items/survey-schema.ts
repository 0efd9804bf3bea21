import { z } from "zod";
import { list, text, uid } from "@/domain/fields";
import { isField } from "@/domain/items/filter";
import { filterText } from "@/domain/items/filter-text";
import { maxNamed } from "@/domain/limits";

const sources = () => list(uid(), maxNamed).default([]);

/** What a filter holds of these sources together, as an export of them has it. */
export const ItemCountQuery = z
  .object({ datasets: sources(), slices: sources(), projects: sources(), filter: filterText() })
  .refine(({ datasets, slices, projects }) => datasets.length + slices.length + projects.length > 0, {
    message: "Name at least one dataset, slice or project.",
  });
export type ItemCountQuery = z.output<typeof ItemCountQuery>;

/** Without a field, the fields that items have; with one, its most common values that contain `prefix`. */
export const ItemVocabularyQuery = z.object({
  datasets: list(uid(), maxNamed, 1),
  field: z.string().refine(isField, "This is not a field of items.").optional(),
  prefix: text(200).optional(),
});
export type ItemVocabularyQuery = z.output<typeof ItemVocabularyQuery>;
