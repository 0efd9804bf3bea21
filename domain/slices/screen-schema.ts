import { z } from "zod";
import { commaList, longPage, ordered, queryBoolean, text } from "@/domain/fields";

/** The list of slices on its screen. */
export const SliceListFilters = z.object({
  dataset: commaList().optional(),
  search: text(255).optional(),
  demo: queryBoolean().optional(),
  ordering: ordered(["created_at", "name"]),
  ...longPage(),
});
export type SliceListFilters = z.output<typeof SliceListFilters>;
