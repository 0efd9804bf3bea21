import { QueueFilters, UnassignedFilters } from "@/domain/tasks/queue-schema";
import { findUnassigned, listQueue } from "@/server/read-models/tasks/task-queue";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const taskScreens = router({
  queue: memberProcedure.input(QueueFilters).query(({ ctx, input }) => listQueue(ctx.ctx, input)),
  unassigned: memberProcedure.input(UnassignedFilters).query(({ ctx, input }) => findUnassigned(ctx.ctx, input)),
});
