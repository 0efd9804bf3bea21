import { z } from "zod";
import { list, text, uid } from "@/domain/fields";
import { maxNamed } from "@/domain/limits";
import { isField } from "@/domain/slices/filter";
import { filterText } from "@/domain/slices/schema";

/** The datasets whose items are counted or completed from. */
const datasets = () => list(uid(), maxNamed, 1);

/** What a filter holds of these datasets. */
export const ItemCountQuery = z.object({ datasets: datasets(), filter: filterText() });
export type ItemCountQuery = z.output<typeof ItemCountQuery>;

/** Without a field, the fields that items have; with one, its most common values that contain `prefix`. */
export const ItemVocabularyQuery = z.object({
  datasets: datasets(),
  field: z.string().refine(isField, "This is not a field of items.").optional(),
  prefix: text(200).optional(),
});
export type ItemVocabularyQuery = z.output<typeof ItemVocabularyQuery>;
