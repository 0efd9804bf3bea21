import { EventUid } from "@/domain/events/schema";
import { EventHistogramQuery, EventScreenFilters } from "@/domain/events/screen-schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { eventVocabulary, getEventOverview, listEventOverviews } from "@/server/read-models/events/event-list";
import { eventHistogram } from "@/server/read-models/events/histogram";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const eventScreens = router({
  overview: memberProcedure
    .input(EventScreenFilters)
    .query(({ ctx, input }) => listEventOverviews(ctx.ctx, applyDemoRule(input))),
  overviewOf: memberProcedure.input(EventUid).query(({ ctx, input }) => getEventOverview(ctx.ctx, input.uid)),
  histogram: memberProcedure
    .input(EventHistogramQuery)
    .query(({ ctx, input }) => eventHistogram(ctx.ctx, applyDemoRule(input))),
  vocabulary: memberProcedure.query(({ ctx }) => eventVocabulary(ctx.ctx)),
});
