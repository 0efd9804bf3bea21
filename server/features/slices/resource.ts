import { z } from "zod";

export const SliceResource = z.object({
  uid: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  item_count: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Additive: the dataset that it filters, and the filter. */
  dataset: z.string(),
  filter_query_string: z.string(),
  created_by_uid: z.string().nullable(),
});
export type SliceResource = z.output<typeof SliceResource>;

export const NameCheck = z.object({ valid: z.boolean(), slug: z.string(), errors: z.array(z.string()) });
export type NameCheck = z.output<typeof NameCheck>;
