import { ReviewFilters } from "@/domain/tasks/review-schema";
import { listReviewQueue } from "@/server/read-models/review/review-queue";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const reviewScreens = router({
  queue: memberProcedure.input(ReviewFilters).query(({ ctx, input }) => listReviewQueue(ctx.ctx, input)),
});
