import { DatasetListFilters, DatasetPath, DatasetUses } from "@/domain/datasets/schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { getDatasetOverview, listDatasetOverviews } from "@/server/read-models/datasets/dataset-list";
import { listDatasetProjects, listDatasetRuns } from "@/server/read-models/datasets/dataset-uses";
import { getHealth } from "@/server/read-models/datasets/health";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const datasetScreens = router({
  overview: memberProcedure
    .input(DatasetListFilters)
    .query(({ ctx, input }) => listDatasetOverviews(ctx.ctx, applyDemoRule(input))),
  overviewOf: memberProcedure.input(DatasetPath).query(({ ctx, input }) => getDatasetOverview(ctx.ctx, input)),
  health: memberProcedure.input(DatasetPath).query(({ ctx, input }) => getHealth(ctx.ctx, input)),
  projects: memberProcedure.input(DatasetUses).query(({ ctx, input }) => listDatasetProjects(ctx.ctx, input)),
  runs: memberProcedure.input(DatasetUses).query(({ ctx, input }) => listDatasetRuns(ctx.ctx, input)),
});
