import { z } from "zod";
import * as schema from "@/domain/rules/schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { listEvaluations, listHits, ruleActivity, ruleNoise } from "@/server/features/rules/evaluation-queries";
import { getHeartbeatTopic } from "@/server/features/rules/heartbeat-topic-queries";
import { previewLive } from "@/server/features/rules/live-preview-service";
import { readLiveState } from "@/server/features/rules/live-state-queries";
import { listOutcomes } from "@/server/features/rules/outcome-queries";
import { previewColumns } from "@/server/features/rules/preview-columns-service";
import { previewOnScreen } from "@/server/features/rules/preview-service";
import { getPreviewRun, getRun, startRun } from "@/server/features/rules/run-service";
import { matchScope } from "@/server/features/rules/scope-queries";
import { createRule, deleteRule, getRule, listRules, updateRule } from "@/server/features/rules/service";
import { listTopics } from "@/server/features/rules/topic-queries";
import { listVersions, restoreVersion } from "@/server/features/rules/version-service";
import { memberProcedure, readingProcedure, router } from "@/server/transport/trpc/init";

const { RuleUid } = schema;

export const rules = router({
  list: memberProcedure.input(schema.RuleFilters).query(({ ctx, input }) => listRules(ctx.ctx, applyDemoRule(input))),
  get: memberProcedure.input(RuleUid).query(({ ctx, input }) => getRule(ctx.ctx, input.uid)),
  create: memberProcedure.input(schema.CreateRule).mutation(({ ctx, input }) => createRule(ctx.ctx, input)),
  update: memberProcedure
    .input(z.object({ ...RuleUid.shape, change: schema.UpdateRule }))
    .mutation(({ ctx, input }) => updateRule(ctx.ctx, input.uid, input.change)),
  delete: memberProcedure.input(RuleUid).mutation(({ ctx, input }) => deleteRule(ctx.ctx, input.uid)),
  preview: readingProcedure.input(schema.PreviewRule).mutation(({ ctx, input }) => previewOnScreen(ctx.ctx, input)),
  previewColumns: readingProcedure
    .input(schema.PreviewRule)
    .mutation(({ ctx, input }) => previewColumns(ctx.ctx, input)),
  previewLive: readingProcedure.input(schema.PreviewLiveRule).mutation(({ ctx, input }) => previewLive(ctx.ctx, input)),
  previewRun: memberProcedure.input(schema.PreviewRunUid).query(({ ctx, input }) => getPreviewRun(ctx.ctx, input.uid)),
  run: memberProcedure
    .input(z.object({ ...RuleUid.shape, over: schema.RunRule }))
    .mutation(({ ctx, input }) => startRun(ctx.ctx, input.uid, input.over)),
  getRun: memberProcedure
    .input(z.object({ ...RuleUid.shape, run_uid: z.string() }))
    .query(({ ctx, input }) => getRun(ctx.ctx, input.uid, input.run_uid)),
  versions: memberProcedure
    .input(z.object({ ...RuleUid.shape, ...schema.PageOnly.shape }))
    .query(({ ctx, input: { uid, ...page } }) => listVersions(ctx.ctx, uid, page)),
  restore: memberProcedure
    .input(z.object({ ...RuleUid.shape, version: z.int().min(1) }))
    .mutation(({ ctx, input }) => restoreVersion(ctx.ctx, input.uid, input.version)),
  evaluations: memberProcedure
    .input(z.object({ ...RuleUid.shape, ...schema.EvaluationFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => listEvaluations(ctx.ctx, uid, filters)),
  hits: memberProcedure
    .input(z.object({ ...RuleUid.shape, ...schema.PageOnly.shape }))
    .query(({ ctx, input: { uid, ...page } }) => listHits(ctx.ctx, uid, page)),
  liveState: memberProcedure.input(RuleUid).query(({ ctx, input }) => readLiveState(ctx.ctx, input.uid)),
  noise: memberProcedure
    .input(z.object({ ...RuleUid.shape, ...schema.NoiseFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => ruleNoise(ctx.ctx, uid, filters)),
  outcomes: memberProcedure
    .input(RuleUid.extend({ peaks: z.boolean().optional() }))
    .query(({ ctx, input: { uid, ...options } }) => listOutcomes(ctx.ctx, uid, options)),
  activity: memberProcedure.input(schema.ActivityRequest).query(({ ctx, input }) => ruleActivity(ctx.ctx, input)),
  scope: memberProcedure.input(schema.ScopeRequest).query(({ ctx, input }) => matchScope(ctx.ctx, input.scope ?? null)),
});

export const topics = router({
  list: memberProcedure
    .input(schema.TopicFilters)
    .query(async ({ ctx, input }) => (await listTopics(ctx.ctx, input)).results),
  heartbeat: memberProcedure
    .input(schema.ScopeRequest)
    .query(({ ctx, input }) => getHeartbeatTopic(ctx.ctx, input.scope ?? null)),
});
