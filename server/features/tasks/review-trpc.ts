import { CompareResults } from "@/domain/tasks/review-schema";
import { compareResults } from "@/server/features/tasks/compare-service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const results = router({
  compare: memberProcedure.input(CompareResults).query(({ ctx, input }) => compareResults(ctx.ctx, input)),
});
