import { ChannelFilters } from "@/domain/channels/schema";
import { listChannelOverviews } from "@/server/read-models/channels/channel-list";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const channelScreens = router({
  overview: memberProcedure.input(ChannelFilters).query(({ ctx, input }) => listChannelOverviews(ctx.ctx, input)),
});
