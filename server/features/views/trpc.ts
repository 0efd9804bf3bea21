import { CreateView, ViewFilters, ViewUid } from "@/domain/views/schema";
import { deleteView, listViews, saveView } from "@/server/features/views/service";
import { procedure, router } from "@/server/transport/trpc/init";

export const views = router({
  list: procedure.input(ViewFilters).query(({ ctx, input }) => listViews(ctx.ctx, input)),
  save: procedure.input(CreateView).mutation(({ ctx, input }) => saveView(ctx.ctx, input)),
  delete: procedure.input(ViewUid).mutation(({ ctx, input }) => deleteView(ctx.ctx, input.uid)),
});
