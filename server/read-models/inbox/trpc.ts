import {
  BulkMatching,
  GroupRequest,
  InboxFilters,
  InboxRequest,
  NeighbourRequest,
  TabFilters,
} from "@/domain/alerts/inbox-schema";
import { ShownRows } from "@/domain/demo/schema";
import { PageOnly, RuleUid } from "@/domain/rules/schema";
import { countAlerts } from "@/server/features/alerts/service";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { bulkMatching, groupInbox, suggestGrouping } from "@/server/read-models/inbox/groups";
import { listInbox, openBadge } from "@/server/read-models/inbox/inbox";
import { neighbours } from "@/server/read-models/inbox/neighbours";
import { listRuleAlerts } from "@/server/read-models/inbox/rule-alerts";
import { memberProcedure, router } from "@/server/transport/trpc/init";

/** The inbox procedures of the dashboard, merged into the router of alerts. */
export const inbox = router({
  inbox: memberProcedure.input(InboxRequest).query(({ ctx, input }) => listInbox(ctx.ctx, applyDemoRule(input))),
  inboxCounts: memberProcedure
    .input(InboxFilters)
    .query(({ ctx, input }) => countAlerts(ctx.ctx, applyDemoRule(input), "triggered")),
  groups: memberProcedure.input(GroupRequest).query(({ ctx, input }) => groupInbox(ctx.ctx, applyDemoRule(input))),
  suggestedGrouping: memberProcedure
    .input(TabFilters)
    .query(({ ctx, input }) => suggestGrouping(ctx.ctx, applyDemoRule(input))),
  ofRule: memberProcedure
    .input(RuleUid.extend(PageOnly.shape))
    .query(({ ctx, input }) => listRuleAlerts(ctx.ctx, input)),
  neighbours: memberProcedure.input(NeighbourRequest).query(({ ctx, input }) => neighbours(ctx.ctx, input)),
  openBadge: memberProcedure.input(ShownRows).query(({ ctx, input }) => openBadge(ctx.ctx, input)),
  bulkMatching: memberProcedure
    .input(BulkMatching)
    .mutation(({ ctx, input }) => bulkMatching(ctx.ctx, { ...input, filters: applyDemoRule(input.filters) })),
});
