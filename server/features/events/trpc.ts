import { z } from "zod";
import { CreateEvent, EventFilters, EventUid, UpdateEvent } from "@/domain/events/schema";
import { EventHistogramQuery, EventScreenFilters } from "@/domain/events/screen-schema";
import { deleteEvents, tagEvents } from "@/server/features/events/bulk-service";
import { deleteEvent, getEvent, listEvents, updateEvent } from "@/server/features/events/service";
import { createEvent } from "@/server/features/events/write-service";
import { BulkTags, BulkUids } from "@/server/platform/bulk";
import { eventVocabulary, getEventOverview, listEventOverviews } from "@/server/read-models/events/event-list";
import { eventHistogram } from "@/server/read-models/events/histogram";
import { procedure, router } from "@/server/transport/trpc/init";

export const events = router({
  list: procedure.input(EventFilters).query(({ ctx, input }) => listEvents(ctx.ctx, input)),
  overview: procedure.input(EventScreenFilters).query(({ ctx, input }) => listEventOverviews(ctx.ctx, input)),
  overviewOf: procedure.input(EventUid).query(({ ctx, input }) => getEventOverview(ctx.ctx, input.uid)),
  histogram: procedure.input(EventHistogramQuery).query(({ ctx, input }) => eventHistogram(ctx.ctx, input)),
  vocabulary: procedure.query(({ ctx }) => eventVocabulary(ctx.ctx)),
  get: procedure.input(EventUid).query(({ ctx, input }) => getEvent(ctx.ctx, input.uid)),
  create: procedure.input(CreateEvent).mutation(({ ctx, input }) => createEvent(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...EventUid.shape, change: UpdateEvent }))
    .mutation(({ ctx, input }) => updateEvent(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(EventUid).mutation(({ ctx, input }) => deleteEvent(ctx.ctx, input.uid)),
  tagMany: procedure.input(BulkTags).mutation(({ ctx, input }) => tagEvents(ctx.ctx, input)),
  deleteMany: procedure.input(BulkUids).mutation(({ ctx, input }) => deleteEvents(ctx.ctx, input.uids)),
});
