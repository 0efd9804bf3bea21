import { z } from "zod";
import { DatasetPath, SequenceFilters, UpdateItem } from "@/domain/datasets/schema";
import { choice, clamped, text, uid } from "@/domain/fields";
import { filterText } from "@/domain/items/filter-text";
import { itemOrderings } from "@/domain/items/grid-schema";

/** One item of a dataset. */
export const ViewedItem = z.object({ ...DatasetPath.shape, uid: uid() });
export type ViewedItem = z.output<typeof ViewedItem>;

/** The items before and after one, as a filter and an order of the grid have them. */
export const NeighboursQuery = z.object({
  ...ViewedItem.shape,
  filter_query_string: filterText().optional(),
  ordering: choice(itemOrderings).default("-created_at"),
  /** How many on each side. */
  limit: clamped(20, 8),
});
export type NeighboursQuery = z.output<typeof NeighboursQuery>;

/** The annotations of a result of an item; of the latest one that was not rejected by default. */
export const AnnotationsQuery = z.object({ ...ViewedItem.shape, result: uid().optional() });
export type AnnotationsQuery = z.output<typeof AnnotationsQuery>;

export const ItemChange = z.object({ ...ViewedItem.shape, change: UpdateItem });
export const DatasetSequences = z.object({
  ...DatasetPath.shape,
  ...SequenceFilters.shape,
  search: text(255).optional(),
});
export type DatasetSequences = z.output<typeof DatasetSequences>;

/** What of an item is drawn, by the type of its file. */
export type MediaKind = "image" | "video" | "points" | "recording" | "other";

/** What is drawn of a media type such as `image/png`. */
export function toMediaKind(mediaType: string): MediaKind {
  const [kind] = mediaType.split("/");
  if (kind === "image" || kind === "video" || kind === "recording") return kind;
  return kind === "pointcloud" ? "points" : "other";
}

const named = z.string().min(1).optional().catch(undefined);

/** Where an item came from, as its metadata has it; members that are no text are left out. */
export const ItemSource = z.object({
  device_id: named,
  device_name: named,
  recording_id: named,
  topic: named,
  t_ns: z
    .union([z.string().regex(/^\d{1,20}$/), z.number().int().min(0).transform(String)])
    .optional()
    .catch(undefined),
  alert_id: named,
  event_id: named,
  rule_id: named,
});
export type ItemSource = z.output<typeof ItemSource>;
