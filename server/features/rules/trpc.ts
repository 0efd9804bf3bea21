import { z } from "zod";
import * as schema from "@/domain/rules/schema";
import { listEvaluations, listHits, ruleActivity, ruleNoise } from "@/server/features/rules/evaluation-queries";
import { previewRule } from "@/server/features/rules/preview-service";
import { getPreviewRun, getRun, startRun } from "@/server/features/rules/run-service";
import { matchScope } from "@/server/features/rules/scope-queries";
import { createRule, deleteRule, getRule, listRules, updateRule } from "@/server/features/rules/service";
import { listTopics } from "@/server/features/rules/topic-queries";
import { listVersions, restoreVersion } from "@/server/features/rules/version-service";
import { procedure, router } from "@/server/transport/trpc/init";

const { RuleUid } = schema;

export const rules = router({
  list: procedure.input(schema.RuleFilters).query(({ ctx, input }) => listRules(ctx.ctx, input)),
  get: procedure.input(RuleUid).query(({ ctx, input }) => getRule(ctx.ctx, input.uid)),
  create: procedure.input(schema.CreateRule).mutation(({ ctx, input }) => createRule(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...RuleUid.shape, change: schema.UpdateRule }))
    .mutation(({ ctx, input }) => updateRule(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(RuleUid).mutation(({ ctx, input }) => deleteRule(ctx.ctx, input.uid)),
  preview: procedure.input(schema.PreviewRule).mutation(({ ctx, input }) => previewRule(ctx.ctx, input)),
  previewRun: procedure.input(schema.PreviewRunUid).query(({ ctx, input }) => getPreviewRun(ctx.ctx, input.uid)),
  run: procedure
    .input(z.object({ ...RuleUid.shape, over: schema.RunRule }))
    .mutation(({ ctx, input }) => startRun(ctx.ctx, input.uid, input.over)),
  getRun: procedure
    .input(z.object({ ...RuleUid.shape, run_uid: z.string() }))
    .query(({ ctx, input }) => getRun(ctx.ctx, input.uid, input.run_uid)),
  versions: procedure
    .input(z.object({ ...RuleUid.shape, ...schema.PageOnly.shape }))
    .query(({ ctx, input: { uid, ...page } }) => listVersions(ctx.ctx, uid, page)),
  restore: procedure
    .input(z.object({ ...RuleUid.shape, version: z.int().min(1) }))
    .mutation(({ ctx, input }) => restoreVersion(ctx.ctx, input.uid, input.version)),
  evaluations: procedure
    .input(z.object({ ...RuleUid.shape, ...schema.EvaluationFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => listEvaluations(ctx.ctx, uid, filters)),
  hits: procedure
    .input(z.object({ ...RuleUid.shape, ...schema.PageOnly.shape }))
    .query(({ ctx, input: { uid, ...page } }) => listHits(ctx.ctx, uid, page)),
  noise: procedure
    .input(z.object({ ...RuleUid.shape, ...schema.NoiseFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => ruleNoise(ctx.ctx, uid, filters)),
  activity: procedure.input(schema.ActivityRequest).query(({ ctx, input }) => ruleActivity(ctx.ctx, input)),
  scope: procedure.input(schema.ScopeRequest).query(({ ctx, input }) => matchScope(ctx.ctx, input.scope ?? null)),
});

export const topics = router({
  list: procedure.input(schema.TopicFilters).query(({ ctx, input }) => listTopics(ctx.ctx, input)),
});
