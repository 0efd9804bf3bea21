import { z } from "zod";
import { CreateEvent, EventFilters, EventUid, UpdateEvent } from "@/domain/events/schema";
import { deleteEvents, tagEvents } from "@/server/features/events/bulk-service";
import { deleteEvent, getEvent, listEvents, updateEvent } from "@/server/features/events/service";
import { createEvent } from "@/server/features/events/write-service";
import { BulkTags, BulkUids } from "@/server/platform/bulk";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const events = router({
  list: memberProcedure.input(EventFilters).query(({ ctx, input }) => listEvents(ctx.ctx, input)),
  get: memberProcedure.input(EventUid).query(({ ctx, input }) => getEvent(ctx.ctx, input.uid)),
  create: memberProcedure.input(CreateEvent).mutation(({ ctx, input }) => createEvent(ctx.ctx, input)),
  update: memberProcedure
    .input(z.object({ ...EventUid.shape, change: UpdateEvent }))
    .mutation(({ ctx, input }) => updateEvent(ctx.ctx, input.uid, input.change)),
  delete: memberProcedure.input(EventUid).mutation(({ ctx, input }) => deleteEvent(ctx.ctx, input.uid)),
  tagMany: memberProcedure.input(BulkTags).mutation(({ ctx, input }) => tagEvents(ctx.ctx, input)),
  deleteMany: memberProcedure.input(BulkUids).mutation(({ ctx, input }) => deleteEvents(ctx.ctx, input.uids)),
});
