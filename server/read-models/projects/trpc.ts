import { ProjectUid } from "@/domain/projects/schema";
import { LabelTargetFilters, OfProject, ProjectListFilters, ProjectSources } from "@/domain/projects/screen-schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { listLabelTargets } from "@/server/read-models/projects/label-targets";
import { readLabelNumbers } from "@/server/read-models/projects/project-label-numbers";
import { listProjectOverviews } from "@/server/read-models/projects/project-list";
import { countProjectLabels, getProjectDetail, listProjectBatches } from "@/server/read-models/projects/project-page";
import { readProjectPeople } from "@/server/read-models/projects/project-people";
import { listProjectSources } from "@/server/read-models/projects/project-sources";
import { readProjectStats } from "@/server/read-models/projects/project-stats";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const projectScreens = router({
  overview: memberProcedure
    .input(ProjectListFilters)
    .query(({ ctx, input }) => listProjectOverviews(ctx.ctx, applyDemoRule(input))),
  overviewOf: memberProcedure.input(ProjectUid).query(({ ctx, input }) => getProjectDetail(ctx.ctx, input.uid)),
  labelTargets: memberProcedure.input(LabelTargetFilters).query(({ ctx, input }) => listLabelTargets(ctx.ctx, input)),
  sources: memberProcedure.input(ProjectSources).query(({ ctx, input }) => listProjectSources(ctx.ctx, input)),
  batches: memberProcedure.input(OfProject).query(({ ctx, input }) => listProjectBatches(ctx.ctx, input)),
  stats: memberProcedure.input(ProjectUid).query(({ ctx, input }) => readProjectStats(ctx.ctx, input.uid)),
  byPerson: memberProcedure.input(ProjectUid).query(({ ctx, input }) => readProjectPeople(ctx.ctx, input.uid)),
  byLabel: memberProcedure.input(ProjectUid).query(({ ctx, input }) => readLabelNumbers(ctx.ctx, input.uid)),
  labelCounts: memberProcedure.input(ProjectUid).query(({ ctx, input }) => countProjectLabels(ctx.ctx, input.uid)),
});
