import { DecideResults, ReopenResult, ReviseResult } from "@/domain/tasks/review-schema";
import { TaskUid } from "@/domain/tasks/schema";
import { decideResults, requireReviewable } from "@/server/features/tasks/decision-service";
import { DecidedResults, ResultResource } from "@/server/features/tasks/resource";
import { getResult } from "@/server/features/tasks/result-service";
import { reopenResult, reviseResult } from "@/server/features/tasks/revision-service";
import { endpoint } from "@/server/transport/rest/endpoint";

export const revise = endpoint({
  method: "POST",
  path: "/results/{uid}/revise/",
  id: "results.revise",
  summary: "Correct a result",
  description: "The corrected one is accepted in its place.",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  params: TaskUid,
  body: ReviseResult,
  maxBodyBytes: 8 * 1024 * 1024,
  response: ResultResource,
  exists: (ctx, params) => requireReviewable(ctx, params.uid),
  handler: ({ ctx, params, body }) => reviseResult(ctx, params.uid, body),
});

export const reopen = endpoint({
  method: "POST",
  path: "/results/{uid}/reopen/",
  id: "results.reopen",
  summary: "Take the acceptance of a result back",
  permission: ["projects.write"],
  role: "admin",
  leased: true,
  params: TaskUid,
  body: ReopenResult,
  response: ResultResource,
  exists: async (ctx, params) => void (await getResult(ctx, params.uid)),
  handler: ({ ctx, params, body }) => reopenResult(ctx, params.uid, body),
});

export const decideMany = endpoint({
  method: "POST",
  path: "/results/decide/",
  id: "results.decide-many",
  summary: "Accept or reject results",
  description: "Each as alone: one that is refused is named and stops no other.",
  permission: ["projects.write"],
  role: "member",
  leased: true,
  body: DecideResults,
  response: DecidedResults,
  handler: ({ ctx, body }) => decideResults(ctx, body),
});
