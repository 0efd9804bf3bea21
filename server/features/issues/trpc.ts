import { IssueFilters, IssueUid, NewIssue, NewIssueComment, UpdateIssue } from "@/domain/tasks/issue-schema";
import { TaskUid } from "@/domain/tasks/schema";
import { commentOnIssue, createIssue, listIssues, updateIssue } from "@/server/features/issues/service";
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
