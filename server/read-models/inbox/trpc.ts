import { BulkMatching, GroupRequest, InboxFilters, InboxRequest } from "@/domain/alerts/inbox-schema";
import { countAlerts } from "@/server/features/alerts/service";
import { bulkMatching, groupInbox } from "@/server/read-models/inbox/groups";
import { listInbox, openBadge } from "@/server/read-models/inbox/inbox";
import { memberProcedure, router } from "@/server/transport/trpc/init";

/** The inbox procedures of the dashboard, merged into the router of alerts. */
export const inbox = router({
  inbox: memberProcedure.input(InboxRequest).query(({ ctx, input }) => listInbox(ctx.ctx, input)),
  inboxCounts: memberProcedure.input(InboxFilters).query(({ ctx, input }) => countAlerts(ctx.ctx, input)),
  groups: memberProcedure.input(GroupRequest).query(({ ctx, input }) => groupInbox(ctx.ctx, input)),
  openBadge: memberProcedure.query(({ ctx }) => openBadge(ctx.ctx)),
  bulkMatching: memberProcedure.input(BulkMatching).mutation(({ ctx, input }) => bulkMatching(ctx.ctx, input)),
});
