import { z } from "zod";
import { readEvidence } from "@/domain/alerts/evidence";
import { OccurrenceRequest, TestAlert } from "@/domain/alerts/inbox-schema";
import {
  AlertCountFilters,
  AlertUid,
  AssignAlert,
  BulkAlerts,
  CommentFilters,
  CreateComment,
  ResolveAlert,
  SnoozeAlert,
} from "@/domain/alerts/schema";
import { listAround } from "@/server/features/alerts/around-queries";
import { createComment, listComments } from "@/server/features/alerts/comments-service";
import { findCovering } from "@/server/features/alerts/covering-queries";
import { readGuidance } from "@/server/features/alerts/guidance-queries";
import { lastResolved, occurrences, previousAlerts } from "@/server/features/alerts/history-queries";
import { countAlerts, getAlert } from "@/server/features/alerts/service";
import { acknowledgeAlert, reopenAlert, resolveAlert } from "@/server/features/alerts/state-service";
import { raiseTestAlert, removeTestAlert } from "@/server/features/alerts/test-alert-service";
import { alertTimeline } from "@/server/features/alerts/timeline-queries";
import { assignAlert, bulkAlerts, snoozeAlert } from "@/server/features/alerts/triage-service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const alerts = router({
  counts: memberProcedure.input(AlertCountFilters).query(({ ctx, input }) => countAlerts(ctx.ctx, input)),
  lastResolved: memberProcedure.query(({ ctx }) => lastResolved(ctx.ctx)),
  occurrences: memberProcedure.input(OccurrenceRequest).query(({ ctx, input }) => occurrences(ctx.ctx, input.uids)),
  previous: memberProcedure.input(AlertUid).query(({ ctx, input }) => previousAlerts(ctx.ctx, input.uid)),
  get: memberProcedure.input(AlertUid).query(async ({ ctx, input }) => {
    const { evidence, ...alert } = await getAlert(ctx.ctx, input.uid);
    return { ...alert, evidence: readEvidence(evidence), guidance: await readGuidance(ctx.ctx, alert.rule_id) };
  }),
  around: memberProcedure.input(AlertUid).query(({ ctx, input }) => listAround(ctx.ctx, input.uid)),
  covering: memberProcedure.input(AlertUid).query(({ ctx, input }) => findCovering(ctx.ctx, input.uid)),
  timeline: memberProcedure.input(AlertUid).query(({ ctx, input }) => alertTimeline(ctx.ctx, input.uid)),
  comments: memberProcedure
    .input(z.object({ ...AlertUid.shape, ...CommentFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => listComments(ctx.ctx, uid, filters)),
  acknowledge: memberProcedure.input(AlertUid).mutation(({ ctx, input }) => acknowledgeAlert(ctx.ctx, input.uid)),
  resolve: memberProcedure
    .input(z.object({ ...AlertUid.shape, ...ResolveAlert.shape }))
    .mutation(({ ctx, input: { uid, ...rest } }) => resolveAlert(ctx.ctx, uid, rest)),
  reopen: memberProcedure.input(AlertUid).mutation(({ ctx, input }) => reopenAlert(ctx.ctx, input.uid)),
  assign: memberProcedure
    .input(z.object({ ...AlertUid.shape, ...AssignAlert.shape }))
    .mutation(({ ctx, input: { uid, ...rest } }) => assignAlert(ctx.ctx, uid, rest)),
  snooze: memberProcedure
    .input(z.object({ ...AlertUid.shape, ...SnoozeAlert.shape }))
    .mutation(({ ctx, input: { uid, ...rest } }) => snoozeAlert(ctx.ctx, uid, rest)),
  comment: memberProcedure
    .input(z.object({ ...AlertUid.shape, ...CreateComment.shape }))
    .mutation(({ ctx, input: { uid, ...rest } }) => createComment(ctx.ctx, uid, rest)),
  bulk: memberProcedure.input(BulkAlerts).mutation(({ ctx, input }) => bulkAlerts(ctx.ctx, input)),
  test: memberProcedure.input(TestAlert).mutation(({ ctx, input }) => raiseTestAlert(ctx.ctx, input)),
  removeTest: memberProcedure.input(AlertUid).mutation(({ ctx, input }) => removeTestAlert(ctx.ctx, input.uid)),
});
