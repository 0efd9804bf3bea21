import {
  ItemFacetsQuery,
  ItemFreshQuery,
  ItemPlaceQuery,
  ItemPredictedQuery,
  ItemShapesQuery,
  ItemSurveyQuery,
  ItemWindowQuery,
} from "@/domain/items/grid-schema";
import { ItemCountQuery, ItemVocabularyQuery } from "@/domain/items/survey-schema";
import { countItems } from "@/server/read-models/items/count";
import { listFacets } from "@/server/read-models/items/facets";
import { countFresh, listFirst, listWindow, placeItem, surveyItems } from "@/server/read-models/items/grid";
import { listPredicted } from "@/server/read-models/items/predicted";
import { listShapes } from "@/server/read-models/items/shapes";
import { itemVocabulary } from "@/server/read-models/items/vocabulary";
import { readingProcedure, router } from "@/server/transport/trpc/init";

/** What the filter box and the grid of items show. What takes a filter is sent in a body, as filters may be long. */
export const items = router({
  count: readingProcedure.input(ItemCountQuery).mutation(({ ctx, input }) => countItems(ctx.ctx, input)),
  vocabulary: readingProcedure.input(ItemVocabularyQuery).mutation(({ ctx, input }) => itemVocabulary(ctx.ctx, input)),
  survey: readingProcedure.input(ItemSurveyQuery).mutation(({ ctx, input }) => surveyItems(ctx.ctx, input)),
  // A query, as the server that renders a page asks it.
  first: readingProcedure.input(ItemSurveyQuery).query(({ ctx, input }) => listFirst(ctx.ctx, input)),
  window: readingProcedure.input(ItemWindowQuery).mutation(({ ctx, input }) => listWindow(ctx.ctx, input)),
  place: readingProcedure.input(ItemPlaceQuery).mutation(({ ctx, input }) => placeItem(ctx.ctx, input)),
  fresh: readingProcedure.input(ItemFreshQuery).mutation(({ ctx, input }) => countFresh(ctx.ctx, input)),
  facets: readingProcedure.input(ItemFacetsQuery).mutation(({ ctx, input }) => listFacets(ctx.ctx, input)),
  shapes: readingProcedure.input(ItemShapesQuery).mutation(({ ctx, input }) => listShapes(ctx.ctx, input)),
  predicted: readingProcedure.input(ItemPredictedQuery).mutation(({ ctx, input }) => listPredicted(ctx.ctx, input)),
});
