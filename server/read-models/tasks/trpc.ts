import { MomentTaskFilters, QueueFilters, TaskNeighbours, UnassignedFilters } from "@/domain/tasks/queue-schema";
import { readMomentTasks } from "@/server/read-models/tasks/moment-tasks";
import { readTaskNeighbours } from "@/server/read-models/tasks/task-neighbours";
import { findUnassigned, listQueue } from "@/server/read-models/tasks/task-queue";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const taskScreens = router({
  neighbours: memberProcedure.input(TaskNeighbours).query(({ ctx, input }) => readTaskNeighbours(ctx.ctx, input)),
  ofMoments: memberProcedure.input(MomentTaskFilters).query(({ ctx, input }) => readMomentTasks(ctx.ctx, input)),
  queue: memberProcedure.input(QueueFilters).query(({ ctx, input }) => listQueue(ctx.ctx, input)),
  unassigned: memberProcedure.input(UnassignedFilters).query(({ ctx, input }) => findUnassigned(ctx.ctx, input)),
});
