import { CreateView, ViewFilters, ViewUid } from "@/domain/views/schema";
import { deleteView, listViews, saveView } from "@/server/features/views/service";
import { memberProcedure, ownProcedure, router } from "@/server/transport/trpc/init";

export const views = router({
  list: memberProcedure.input(ViewFilters).query(({ ctx, input }) => listViews(ctx.ctx, input)),
  save: ownProcedure.input(CreateView).mutation(({ ctx, input }) => saveView(ctx.ctx, input)),
  delete: ownProcedure.input(ViewUid).mutation(({ ctx, input }) => deleteView(ctx.ctx, input.uid)),
});
