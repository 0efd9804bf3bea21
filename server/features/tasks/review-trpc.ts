import { CompareResults, DecideResults, ReopenResult, ReviseResult } from "@/domain/tasks/review-schema";
import { TaskUid } from "@/domain/tasks/schema";
import { compareResults } from "@/server/features/tasks/compare-service";
import { decideResults } from "@/server/features/tasks/decision-service";
import { reopenResult, reviseResult } from "@/server/features/tasks/revision-service";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const results = router({
  compare: memberProcedure.input(CompareResults).query(({ ctx, input }) => compareResults(ctx.ctx, input)),
  revise: memberProcedure
    .input(TaskUid.extend(ReviseResult.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => reviseResult(ctx.ctx, uid, input)),
  decideMany: memberProcedure.input(DecideResults).mutation(({ ctx, input }) => decideResults(ctx.ctx, input)),
  reopen: adminProcedure
    .input(TaskUid.extend(ReopenResult.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => reopenResult(ctx.ctx, uid, input)),
});
