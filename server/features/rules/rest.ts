import * as schema from "@/domain/rules/schema";
import { listEvaluations, listHits, ruleNoise } from "@/server/features/rules/evaluation-queries";
import { previewRule } from "@/server/features/rules/preview-service";
import * as resource from "@/server/features/rules/resource";
import { getPreviewRun, getRun, startRun } from "@/server/features/rules/run-service";
import {
  createRule,
  deleteRule,
  getRule,
  listRules,
  readRule,
  requireRuleAuthor,
  updateRule,
} from "@/server/features/rules/service";
import { listTopics } from "@/server/features/rules/topic-queries";
import { listVersions, restoreVersion } from "@/server/features/rules/version-service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof schema.RuleUid> = (ctx, params) => readRule(ctx, params.uid);
const isAuthor: typeof exists = (ctx, params) => requireRuleAuthor(ctx, params.uid);

export const list = endpoint({
  method: "GET",
  path: "/fleet/rules/",
  id: "rules.list",
  summary: "List rules",
  permission: ["fleet.read"],
  role: "member",
  query: schema.RuleFilters,
  response: toPageSchema(resource.RuleResource),
  handler: ({ ctx, query }) => listRules(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/fleet/rules/",
  id: "rules.create",
  summary: "Create a rule",
  description:
    "It runs on recordings processed from now on. `warnings` name topics and fields that do not fit what was recorded.",
  permission: ["fleet.write"],
  role: "member",
  body: schema.CreateRule,
  response: resource.RuleDetail,
  status: 201,
  handler: ({ ctx, body }) => createRule(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/rules/{uid}/",
  id: "rules.get",
  summary: "Get a rule",
  permission: ["fleet.read"],
  role: "member",
  params: schema.RuleUid,
  response: resource.RuleDetail,
  handler: ({ ctx, params }) => getRule(ctx, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/fleet/rules/{uid}/",
  id: "rules.update",
  summary: "Update a rule",
  description:
    "Another condition, other actions or another scope make a new version; `note` says why. Members change only their own.",
  permission: ["fleet.write"],
  role: "member",
  params: schema.RuleUid,
  body: schema.UpdateRule,
  response: resource.RuleDetail,
  exists: isAuthor,
  handler: ({ ctx, params, body }) => updateRule(ctx, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/rules/{uid}/",
  id: "rules.delete",
  summary: "Delete a rule",
  description: "Its alerts and events are kept. A built-in rule can only be disabled. Members delete only their own.",
  permission: ["fleet.write"],
  role: "member",
  params: schema.RuleUid,
  status: 204,
  handler: ({ ctx, params }) => deleteRule(ctx, params.uid),
});

export const preview = endpoint({
  method: "POST",
  path: "/fleet/rules/preview/",
  id: "rules.preview",
  summary: "Preview a rule on past recordings",
  description:
    "Answers for up to 20 recordings at once, the last recorded first. For more, or when that takes long, it is 202 with `run_uid`: " +
    "the same result then comes from `/fleet/rules/preview-runs/{uid}/`. With `rule_id`, hits are compared with a saved rule's.",
  permission: ["fleet.read"],
  role: "member",
  changes: "nothing",
  body: schema.PreviewRule,
  response: resource.PreviewAnswer,
  alternatives: [202],
  handler: async ({ ctx, body, setStatus }) => {
    const response = await previewRule(ctx, body);
    if ("run_uid" in response) setStatus(202);
    return response;
  },
});

export const previewRun = endpoint({
  method: "GET",
  path: "/fleet/rules/preview-runs/{uid}/",
  id: "rules.preview-run",
  frequent: true,
  summary: "Get a preview run",
  permission: ["fleet.read"],
  role: "member",
  params: schema.PreviewRunUid,
  response: resource.PreviewRunResource,
  handler: ({ ctx, params }) => getPreviewRun(ctx, params.uid),
});

export const run = endpoint({
  method: "POST",
  path: "/fleet/rules/{uid}/run/",
  id: "rules.run",
  summary: "Run a rule on past recordings",
  description:
    "To the recordings named, those created in a range, or all in scope. Opens alerts and notifies nobody. Members run " +
    "only their own rules.",
  permission: ["fleet.write"],
  role: "member",
  params: schema.RuleUid,
  body: schema.RunRule,
  response: resource.RunStarted,
  status: 202,
  exists: isAuthor,
  handler: ({ ctx, params, body }) => startRun(ctx, params.uid, body),
});

export const getRunOfRule = endpoint({
  method: "GET",
  path: "/fleet/rules/{uid}/runs/{run_uid}/",
  id: "rules.get-run",
  frequent: true,
  summary: "Get a rule run",
  permission: ["fleet.read"],
  role: "member",
  params: schema.RuleRunUid,
  response: resource.RunResource,
  handler: ({ ctx, params }) => getRun(ctx, params.uid, params.run_uid),
});

export const versions = endpoint({
  method: "GET",
  path: "/fleet/rules/{uid}/versions/",
  id: "rules.versions",
  summary: "List a rule's versions",
  permission: ["fleet.read"],
  role: "member",
  params: schema.RuleUid,
  query: schema.PageOnly,
  response: toPageSchema(resource.RuleVersionResource),
  exists,
  handler: ({ ctx, params, query }) => listVersions(ctx, params.uid, query),
});

export const restore = endpoint({
  method: "POST",
  path: "/fleet/rules/{uid}/versions/{version}/restore/",
  id: "rules.restore",
  summary: "Restore a rule's version",
  permission: ["fleet.write"],
  role: "member",
  params: schema.RuleVersionUid,
  response: resource.RuleDetail,
  handler: ({ ctx, params }) => restoreVersion(ctx, params.uid, params.version),
});

export const evaluations = endpoint({
  method: "GET",
  path: "/fleet/rules/{uid}/evaluations/",
  id: "rules.evaluations",
  summary: "List a rule's evaluations",
  permission: ["fleet.read"],
  role: "member",
  params: schema.RuleUid,
  query: schema.EvaluationFilters,
  response: toPageSchema(resource.EvaluationResource),
  exists,
  handler: ({ ctx, params, query }) => listEvaluations(ctx, params.uid, query),
});

export const hits = endpoint({
  method: "GET",
  path: "/fleet/rules/{uid}/hits/",
  id: "rules.hits",
  summary: "List a rule's triggers",
  permission: ["fleet.read"],
  role: "member",
  params: schema.RuleUid,
  query: schema.PageOnly,
  response: toPageSchema(resource.HitResource),
  exists,
  handler: ({ ctx, params, query }) => listHits(ctx, params.uid, query),
});

export const noise = endpoint({
  method: "GET",
  path: "/fleet/rules/{uid}/noise/",
  id: "rules.noise",
  summary: "Get a rule's noise statistics",
  permission: ["fleet.read"],
  role: "member",
  params: schema.RuleUid,
  query: schema.NoiseFilters,
  response: resource.NoiseResource,
  exists,
  handler: ({ ctx, params, query }) => ruleNoise(ctx, params.uid, query),
});

export const topics = endpoint({
  method: "GET",
  path: "/fleet/topics/",
  id: "topics.list",
  summary: "List recorded topics",
  description: "By name; narrow them with `q`. `device_count` is of the devices in scope.",
  permission: ["fleet.read"],
  role: "member",
  query: schema.TopicFilters,
  renames: { device: "device_id", group: "group_id" },
  response: toPageSchema(resource.TopicResource),
  handler: ({ ctx, query }) => listTopics(ctx, query),
});
