import { z } from "zod";
import { createComment, listComments } from "@/server/alerts/comments";
import {
  AlertCountFilters,
  AlertFilters,
  AlertUid,
  AssignAlert,
  BulkAlerts,
  CommentFilters,
  CreateComment,
  ResolveAlert,
  SnoozeAlert,
} from "@/server/alerts/schema";
import { countAlerts, getAlert, listAlerts } from "@/server/alerts/service";
import { acknowledgeAlert, reopenAlert, resolveAlert } from "@/server/alerts/states";
import { alertTimeline } from "@/server/alerts/timeline";
import { assignAlert, bulkAlerts, snoozeAlert } from "@/server/alerts/triage";
import { procedure, router } from "@/server/trpc/init";

export const alerts = router({
  list: procedure.input(AlertFilters).query(({ ctx, input }) => listAlerts(ctx.ctx, input)),
  counts: procedure.input(AlertCountFilters).query(({ ctx, input }) => countAlerts(ctx.ctx, input)),
  get: procedure.input(AlertUid).query(({ ctx, input }) => getAlert(ctx.ctx, input.uid)),
  timeline: procedure.input(AlertUid).query(({ ctx, input }) => alertTimeline(ctx.ctx, input.uid)),
  comments: procedure
    .input(z.object({ ...AlertUid.shape, ...CommentFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => listComments(ctx.ctx, uid, filters)),
  acknowledge: procedure.input(AlertUid).mutation(({ ctx, input }) => acknowledgeAlert(ctx.ctx, input.uid)),
  resolve: procedure
    .input(z.object({ ...AlertUid.shape, ...ResolveAlert.shape }))
    .mutation(({ ctx, input: { uid, ...rest } }) => resolveAlert(ctx.ctx, uid, rest)),
  reopen: procedure.input(AlertUid).mutation(({ ctx, input }) => reopenAlert(ctx.ctx, input.uid)),
  assign: procedure
    .input(z.object({ ...AlertUid.shape, ...AssignAlert.shape }))
    .mutation(({ ctx, input: { uid, ...rest } }) => assignAlert(ctx.ctx, uid, rest)),
  snooze: procedure
    .input(z.object({ ...AlertUid.shape, ...SnoozeAlert.shape }))
    .mutation(({ ctx, input: { uid, ...rest } }) => snoozeAlert(ctx.ctx, uid, rest)),
  comment: procedure
    .input(z.object({ ...AlertUid.shape, ...CreateComment.shape }))
    .mutation(({ ctx, input: { uid, ...rest } }) => createComment(ctx.ctx, uid, rest)),
  bulk: procedure.input(BulkAlerts).mutation(({ ctx, input }) => bulkAlerts(ctx.ctx, input)),
});
