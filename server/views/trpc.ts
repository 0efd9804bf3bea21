import { procedure, router } from "@/server/trpc/init";
import { CreateView, ViewFilters, ViewUid } from "@/server/views/schema";
import { deleteView, listViews, saveView } from "@/server/views/service";

export const views = router({
  list: procedure.input(ViewFilters).query(({ ctx, input }) => listViews(ctx.ctx, input)),
  save: procedure.input(CreateView).mutation(({ ctx, input }) => saveView(ctx.ctx, input)),
  delete: procedure.input(ViewUid).mutation(({ ctx, input }) => deleteView(ctx.ctx, input.uid)),
});
