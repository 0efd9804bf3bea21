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
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const channels = router({
  list: memberProcedure.input(ChannelFilters).query(({ ctx, input }) => listChannels(ctx.ctx, input)),
  get: memberProcedure.input(ChannelUid).query(({ ctx, input }) => getChannel(ctx.ctx, input.uid)),
  create: adminProcedure.input(CreateChannel).mutation(({ ctx, input }) => createChannel(ctx.ctx, input)),
  update: adminProcedure
    .input(z.object({ ...ChannelUid.shape, change: UpdateChannel }))
    .mutation(({ ctx, input }) => updateChannel(ctx.ctx, input.uid, input.change)),
  delete: adminProcedure.input(ChannelUid).mutation(({ ctx, input }) => deleteChannel(ctx.ctx, input.uid)),
  test: adminProcedure.input(ChannelUid).mutation(({ ctx, input }) => testChannel(ctx.ctx, input.uid)),
  deliveries: memberProcedure
    .input(z.object({ ...ChannelUid.shape, ...DeliveryFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => listDeliveries(ctx.ctx, uid, filters)),
});
