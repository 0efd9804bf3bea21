import { z } from "zod";
import { choice, list, text, uid } from "@/domain/fields";
import { filterText } from "@/domain/items/filter-text";

/** The orders in which a grid shows items; the first is that of a grid that names none. */
export const itemOrderings = [
  "-created_at",
  "created_at",
  "key",
  "-key",
  "-annotations_count",
  "annotations_count",
] as const;
export type ItemOrdering = (typeof itemOrderings)[number];

/** Every how many items the survey of a grid has an anchor. */
export const anchorEvery = 200;
const maxWindow = 500;
/** How many items' shapes are read together. */
export const maxShapeItems = 200;

const selection = {
  dataset: uid(),
  filter: filterText().default(""),
  ordering: choice(itemOrderings).default("-created_at"),
};
/** Where an item stands in an ordering, as the survey names it. */
const anchor = () => text(1_200).nullable();

export const ItemSurveyQuery = z.object(selection);
export type ItemSurveyQuery = z.output<typeof ItemSurveyQuery>;

/** `newest` of a survey: items that were added since are left out. */
const newest = uid();

/** How many items are before one of them. */
export const ItemPlaceQuery = z.object({ ...selection, newest, at: uid() });
export type ItemPlaceQuery = z.output<typeof ItemPlaceQuery>;

/** How many items were added since a survey. */
export const ItemFreshQuery = z.object({ dataset: uid(), filter: filterText().default(""), newest: uid().nullable() });
export type ItemFreshQuery = z.output<typeof ItemFreshQuery>;

/** The items from an anchor on, up to but not including another; null where the order begins or ends. */
export const ItemWindowQuery = z.object({
  ...selection,
  newest,
  from: anchor(),
  until: anchor(),
  limit: z.int().min(1).max(maxWindow).default(anchorEvery),
});
export type ItemWindowQuery = z.output<typeof ItemWindowQuery>;

export const ItemFacetsQuery = z.object({ dataset: uid(), filter: filterText().default("") });
export type ItemFacetsQuery = z.output<typeof ItemFacetsQuery>;

export const ItemShapesQuery = z.object({ dataset: uid(), uids: list(uid(), maxShapeItems, 1) });
export type ItemShapesQuery = z.output<typeof ItemShapesQuery>;

/** What a run predicted for items. */
export const ItemPredictedQuery = z.object({ dataset: uid(), run: uid(), uids: list(uid(), maxShapeItems, 1) });
export type ItemPredictedQuery = z.output<typeof ItemPredictedQuery>;
