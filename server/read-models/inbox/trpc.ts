import { BulkMatching, GroupRequest, InboxFilters, InboxRequest, TabFilters } from "@/domain/alerts/inbox-schema";
import { PageOnly, RuleUid } from "@/domain/rules/schema";
import { countAlerts } from "@/server/features/alerts/service";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { bulkMatching, groupInbox, suggestGrouping } from "@/server/read-models/inbox/groups";
import { listInbox, openBadge } from "@/server/read-models/inbox/inbox";
import { listRuleAlerts } from "@/server/read-models/inbox/rule-alerts";
import { memberProcedure, router } from "@/server/transport/trpc/init";

/** The inbox procedures of the dashboard, merged into the router of alerts. */
export const inbox = router({
  inbox: memberProcedure
    .input(InboxRequest)
    .query(async ({ ctx, input }) => listInbox(ctx.ctx, await applyDemoRule(ctx.ctx, input))),
  inboxCounts: memberProcedure
    .input(InboxFilters)
    .query(async ({ ctx, input }) => countAlerts(ctx.ctx, await applyDemoRule(ctx.ctx, input), "triggered")),
  groups: memberProcedure
    .input(GroupRequest)
    .query(async ({ ctx, input }) => groupInbox(ctx.ctx, await applyDemoRule(ctx.ctx, input))),
  suggestedGrouping: memberProcedure
    .input(TabFilters)
    .query(async ({ ctx, input }) => suggestGrouping(ctx.ctx, await applyDemoRule(ctx.ctx, input))),
  ofRule: memberProcedure
    .input(RuleUid.extend(PageOnly.shape))
    .query(({ ctx, input }) => listRuleAlerts(ctx.ctx, input)),
  openBadge: memberProcedure.query(({ ctx }) => openBadge(ctx.ctx)),
  bulkMatching: memberProcedure
    .input(BulkMatching)
    .mutation(async ({ ctx, input }) =>
      bulkMatching(ctx.ctx, { ...input, filters: await applyDemoRule(ctx.ctx, input.filters) }),
    ),
});
