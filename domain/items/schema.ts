import { z } from "zod";
import { itemStatuses } from "@/domain/datasets/item-status";
import { choices, longPage, ordered, text } from "@/domain/fields";
import { filterText } from "@/domain/items/filter-text";

/** What a list of a dataset's items is limited to. */
export const ItemFilters = z.object({
  ordering: ordered(["created_at", "key"]),
  /** Additive filters. */
  status: choices(itemStatuses).optional(),
  sequence: text().optional(),
  filter_query_string: filterText().optional(),
  ...longPage(),
});
export type ItemFilters = z.output<typeof ItemFilters>;
