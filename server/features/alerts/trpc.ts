import { z } from "zod";
import { readEvidence } from "@/domain/alerts/evidence";
import { OccurrenceRequest, TestAlert } from "@/domain/alerts/inbox-schema";
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
} from "@/domain/alerts/schema";
import { createComment, listComments } from "@/server/features/alerts/comments-service";
import { lastResolved, neighbours, occurrences, previousAlerts } from "@/server/features/alerts/history-queries";
import { countAlerts, getAlert, listAlerts } from "@/server/features/alerts/service";
import { acknowledgeAlert, reopenAlert, resolveAlert } from "@/server/features/alerts/state-service";
import { raiseTestAlert, removeTestAlert } from "@/server/features/alerts/test-alert-service";
import { alertTimeline } from "@/server/features/alerts/timeline-queries";
import { assignAlert, bulkAlerts, snoozeAlert } from "@/server/features/alerts/triage-service";
import { procedure, router } from "@/server/transport/trpc/init";

export const alerts = router({
  list: procedure.input(AlertFilters).query(({ ctx, input }) => listAlerts(ctx.ctx, input)),
  counts: procedure.input(AlertCountFilters).query(({ ctx, input }) => countAlerts(ctx.ctx, input)),
  lastResolved: procedure.query(({ ctx }) => lastResolved(ctx.ctx)),
  occurrences: procedure.input(OccurrenceRequest).query(({ ctx, input }) => occurrences(ctx.ctx, input.uids)),
  previous: procedure.input(AlertUid).query(({ ctx, input }) => previousAlerts(ctx.ctx, input.uid)),
  neighbours: procedure.input(AlertUid).query(({ ctx, input }) => neighbours(ctx.ctx, input.uid)),
  get: procedure.input(AlertUid).query(async ({ ctx, input }) => {
    const { evidence, ...alert } = await getAlert(ctx.ctx, input.uid);
    return { ...alert, evidence: readEvidence(evidence) };
  }),
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
  test: procedure.input(TestAlert).mutation(({ ctx, input }) => raiseTestAlert(ctx.ctx, input)),
  removeTest: procedure.input(AlertUid).mutation(({ ctx, input }) => removeTestAlert(ctx.ctx, input.uid)),
});
