import {
  IssueFilters,
  IssueUid,
  NewIssue,
  NewIssueComment,
  RejectResult,
  UpdateIssue,
} from "@/domain/tasks/issue-schema";
import { DecideResult, TaskUid } from "@/domain/tasks/schema";
import { IssueCommentResource, IssueResource } from "@/server/features/issues/resource";
import {
  commentOnIssue,
  createIssue,
  listIssues,
  rejectResult,
  requireIssue,
  requireTask,
  updateIssue,
} from "@/server/features/issues/service";
import { requireReviewable, reviewResult } from "@/server/features/tasks/decision-service";
import { ResultResource } from "@/server/features/tasks/resource";
import { getTask } from "@/server/features/tasks/service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/tasks/{uid}/issues/",
  id: "issues.list",
  summary: "List the issues of a task",
  permission: ["projects.read", "tasks.read"],
  role: "member",
  params: TaskUid,
  query: IssueFilters,
  response: toPageSchema(IssueResource),
  exists: (ctx, params) => getTask(ctx, params.uid),
  handler: ({ ctx, params, query }) => listIssues(ctx, params.uid, query),
});

export const create = endpoint({
  method: "POST",
  path: "/tasks/{uid}/issues/",
  id: "issues.create",
  summary: "Open an issue of a task",
  description: "By who works on it or decides its results.",
  permission: ["projects.write"],
  role: "member",
  params: TaskUid,
  body: NewIssue,
  response: IssueResource,
  status: 201,
  exists: (ctx, params) => requireTask(ctx, params.uid),
  handler: ({ ctx, params, body }) => createIssue(ctx, params.uid, body),
});

export const update = endpoint({
  method: "PATCH",
  path: "/issues/{uid}/",
  id: "issues.update",
  summary: "Resolve or reopen an issue",
  description: "Only reviewers and admins reopen one.",
  permission: ["projects.write"],
  role: "member",
  params: IssueUid,
  body: UpdateIssue,
  response: IssueResource,
  exists: (ctx, params) => requireIssue(ctx, params.uid),
  handler: ({ ctx, params, body }) => updateIssue(ctx, params.uid, body),
});

export const comment = endpoint({
  method: "POST",
  path: "/issues/{uid}/comments/",
  id: "issues.comment",
  summary: "Comment on an issue",
  permission: ["projects.write"],
  role: "member",
  params: IssueUid,
  body: NewIssueComment,
  response: IssueCommentResource,
  status: 201,
  exists: (ctx, params) => requireIssue(ctx, params.uid),
  handler: ({ ctx, params, body }) => commentOnIssue(ctx, params.uid, body),
});

const decision = {
  method: "POST",
  permission: ["projects.write"],
  role: "member",
  params: TaskUid,
  response: ResultResource,
} as const;

export const accept = endpoint({
  ...decision,
  path: "/results/{uid}/accept/",
  id: "results.accept",
  summary: "Accept a result",
  description: "Reviewers and admins decide results, nobody one of their own.",
  body: DecideResult,
  exists: (ctx, params) => requireReviewable(ctx, params.uid),
  handler: ({ ctx, params, body }) => reviewResult(ctx, params.uid, "accept", body),
});

export const reject = endpoint({
  ...decision,
  path: "/results/{uid}/reject/",
  id: "results.reject",
  summary: "Reject a result",
  description: "Its task is to be worked on again. Reviewers and admins decide results, nobody one of their own.",
  body: RejectResult,
  exists: (ctx, params) => requireReviewable(ctx, params.uid),
  handler: ({ ctx, params, body }) => rejectResult(ctx, params.uid, body),
});
