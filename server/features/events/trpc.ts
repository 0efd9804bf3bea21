import { z } from "zod";
import { CreateEvent, EventFilters, EventUid, UpdateEvent } from "@/domain/events/schema";
import { deleteEvents, tagEvents } from "@/server/features/events/bulk-service";
import { deleteEvent, getEvent, listEvents, updateEvent } from "@/server/features/events/service";
import { createEvent } from "@/server/features/events/write-service";
import { BulkTags, BulkUids } from "@/server/platform/bulk";
import { procedure, router } from "@/server/transport/trpc/init";

export const events = router({
  list: procedure.input(EventFilters).query(({ ctx, input }) => listEvents(ctx.ctx, input)),
  get: procedure.input(EventUid).query(({ ctx, input }) => getEvent(ctx.ctx, input.uid)),
  create: procedure.input(CreateEvent).mutation(({ ctx, input }) => createEvent(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...EventUid.shape, change: UpdateEvent }))
    .mutation(({ ctx, input }) => updateEvent(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(EventUid).mutation(({ ctx, input }) => deleteEvent(ctx.ctx, input.uid)),
  tagMany: procedure.input(BulkTags).mutation(({ ctx, input }) => tagEvents(ctx.ctx, input)),
  deleteMany: procedure.input(BulkUids).mutation(({ ctx, input }) => deleteEvents(ctx.ctx, input.uids)),
});
