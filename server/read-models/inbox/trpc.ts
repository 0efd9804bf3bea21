import { BulkMatching, GroupRequest, InboxFilters, InboxRequest } from "@/domain/alerts/inbox-schema";
import { countAlerts } from "@/server/features/alerts/service";
import { bulkMatching, groupInbox } from "@/server/read-models/inbox/groups";
import { listInbox, openBadge } from "@/server/read-models/inbox/inbox";
import { procedure, router } from "@/server/transport/trpc/init";

/** The inbox procedures of the dashboard, merged into the router of alerts. */
export const inbox = router({
  inbox: procedure.input(InboxRequest).query(({ ctx, input }) => listInbox(ctx.ctx, input)),
  inboxCounts: procedure.input(InboxFilters).query(({ ctx, input }) => countAlerts(ctx.ctx, input)),
  groups: procedure.input(GroupRequest).query(({ ctx, input }) => groupInbox(ctx.ctx, input)),
  openBadge: procedure.query(({ ctx }) => openBadge(ctx.ctx)),
  bulkMatching: procedure.input(BulkMatching).mutation(({ ctx, input }) => bulkMatching(ctx.ctx, input)),
});
