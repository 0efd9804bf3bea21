import { ChannelFilters } from "@/domain/channels/schema";
import { listChannelOverviews } from "@/server/read-models/channels/channel-list";
import { procedure, router } from "@/server/transport/trpc/init";

export const channelScreens = router({
  overview: procedure.input(ChannelFilters).query(({ ctx, input }) => listChannelOverviews(ctx.ctx, input)),
});
