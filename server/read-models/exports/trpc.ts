import { ExportListFilters, ExportSourceFilters, ExportUid, NamedUids } from "@/domain/exports/schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { getExportOverview, listExportOverviews } from "@/server/read-models/exports/export-list";
import { listBuckets, listChosenSources, listSources } from "@/server/read-models/exports/sources";
import { listWatched } from "@/server/read-models/exports/watched";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const exportScreens = router({
  overview: memberProcedure
    .input(ExportListFilters)
    .query(({ ctx, input }) => listExportOverviews(ctx.ctx, applyDemoRule(input))),
  overviewOf: memberProcedure.input(ExportUid).query(({ ctx, input }) => getExportOverview(ctx.ctx, input.uid)),
  sources: memberProcedure.input(ExportSourceFilters).query(({ ctx, input }) => listSources(ctx.ctx, input)),
  chosenSources: memberProcedure.input(NamedUids).query(({ ctx, input }) => listChosenSources(ctx.ctx, input.uids)),
  buckets: memberProcedure.query(({ ctx }) => listBuckets(ctx.ctx)),
  watched: memberProcedure.input(NamedUids).query(({ ctx, input }) => listWatched(ctx.ctx, input.uids)),
});
