import { z } from "zod";
import { CreateEvent, EventFilters, EventUid, UpdateEvent } from "@/server/events/schema";
import { deleteEvent, getEvent, listEvents, updateEvent } from "@/server/events/service";
import { createEvent } from "@/server/events/write";
import { procedure, router } from "@/server/trpc/init";

export const events = router({
  list: procedure.input(EventFilters).query(({ ctx, input }) => listEvents(ctx.ctx, input)),
  get: procedure.input(EventUid).query(({ ctx, input }) => getEvent(ctx.ctx, input.uid)),
  create: procedure.input(CreateEvent).mutation(({ ctx, input }) => createEvent(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...EventUid.shape, change: UpdateEvent }))
    .mutation(({ ctx, input }) => updateEvent(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(EventUid).mutation(({ ctx, input }) => deleteEvent(ctx.ctx, input.uid)),
});
