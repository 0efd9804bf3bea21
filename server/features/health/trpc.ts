import { MeaningScope, MetricName, SaveMeaning } from "@/domain/health/schema";
import { deleteMeaning, saveMeaning } from "@/server/features/health/meaning-service";
import { adminProcedure, router } from "@/server/transport/trpc/init";

/** What metrics mean; merged into `health`. */
export const meanings = router({
  saveMeaning: adminProcedure
    .input(SaveMeaning.and(MetricName))
    .mutation(({ ctx, input: { name, ...said } }) => saveMeaning(ctx.ctx, name, said)),
  resetMeaning: adminProcedure.input(MetricName.extend(MeaningScope.shape)).mutation(async ({ ctx, input }) => {
    await deleteMeaning(ctx.ctx, input.name, input.device_type);
    return { name: input.name };
  }),
});
