import {
  IssueFilters,
  IssueUid,
  NewIssue,
  NewIssueComment,
  RejectResult,
  UpdateIssue,
} from "@/domain/tasks/issue-schema";
import { DecideResult, TaskUid } from "@/domain/tasks/schema";
import { commentOnIssue, createIssue, listIssues, rejectResult, updateIssue } from "@/server/features/issues/service";
import { reviewResult } from "@/server/features/tasks/decision-service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const issues = router({
  list: memberProcedure
    .input(TaskUid.extend(IssueFilters.shape))
    .query(({ ctx, input: { uid, ...filters } }) => listIssues(ctx.ctx, uid, filters)),
  create: memberProcedure
    .input(TaskUid.extend(NewIssue.shape))
    .mutation(({ ctx, input: { uid, ...issue } }) => createIssue(ctx.ctx, uid, issue)),
  update: memberProcedure
    .input(IssueUid.extend(UpdateIssue.shape))
    .mutation(({ ctx, input: { uid, ...change } }) => updateIssue(ctx.ctx, uid, change)),
  comment: memberProcedure
    .input(IssueUid.extend(NewIssueComment.shape))
    .mutation(({ ctx, input: { uid, ...comment } }) => commentOnIssue(ctx.ctx, uid, comment)),
});

/** What is decided about results; a rejection opens issues. */
export const decisions = router({
  accept: memberProcedure
    .input(TaskUid.extend(DecideResult.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => reviewResult(ctx.ctx, uid, "accept", input)),
  reject: memberProcedure
    .input(TaskUid.extend(RejectResult.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => rejectResult(ctx.ctx, uid, input)),
});
