import { ItemCountQuery, ItemVocabularyQuery } from "@/domain/slices/screen-schema";
import { countItems } from "@/server/read-models/items/count";
import { itemVocabulary } from "@/server/read-models/items/vocabulary";
import { readingProcedure, router } from "@/server/transport/trpc/init";

/** What the filter box of items shows while somebody types. */
export const items = router({
  count: readingProcedure.input(ItemCountQuery).mutation(({ ctx, input }) => countItems(ctx.ctx, input)),
  vocabulary: readingProcedure.input(ItemVocabularyQuery).mutation(({ ctx, input }) => itemVocabulary(ctx.ctx, input)),
});
