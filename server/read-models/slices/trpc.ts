import { SliceUid } from "@/domain/slices/schema";
import { SliceListFilters } from "@/domain/slices/screen-schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { listSliceChanges, listSliceUses } from "@/server/read-models/slices/slice-history";
import { getSliceOverview, listSliceOverviews } from "@/server/read-models/slices/slice-list";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const sliceScreens = router({
  overview: memberProcedure
    .input(SliceListFilters)
    .query(({ ctx, input }) => listSliceOverviews(ctx.ctx, applyDemoRule(input))),
  overviewOf: memberProcedure.input(SliceUid).query(({ ctx, input }) => getSliceOverview(ctx.ctx, input.uid)),
  usedBy: memberProcedure.input(SliceUid).query(({ ctx, input }) => listSliceUses(ctx.ctx, input.uid)),
  changes: memberProcedure.input(SliceUid).query(({ ctx, input }) => listSliceChanges(ctx.ctx, input.uid)),
});
