import { z } from "zod";
import { ChannelFilters, ChannelUid, CreateChannel, DeliveryFilters, UpdateChannel } from "@/domain/channels/schema";
import { listDeliveries, testChannel } from "@/server/features/channels/deliveries-service";
import {
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  updateChannel,
} from "@/server/features/channels/service";
import { procedure, router } from "@/server/transport/trpc/init";

export const channels = router({
  list: procedure.input(ChannelFilters).query(({ ctx, input }) => listChannels(ctx.ctx, input)),
  get: procedure.input(ChannelUid).query(({ ctx, input }) => getChannel(ctx.ctx, input.uid)),
  create: procedure.input(CreateChannel).mutation(({ ctx, input }) => createChannel(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...ChannelUid.shape, change: UpdateChannel }))
    .mutation(({ ctx, input }) => updateChannel(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(ChannelUid).mutation(({ ctx, input }) => deleteChannel(ctx.ctx, input.uid)),
  test: procedure.input(ChannelUid).mutation(({ ctx, input }) => testChannel(ctx.ctx, input.uid)),
  deliveries: procedure
    .input(z.object({ ...ChannelUid.shape, ...DeliveryFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => listDeliveries(ctx.ctx, uid, filters)),
});
