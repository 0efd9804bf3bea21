import { z } from "zod";
import { AgentListFilters, AgentUid, ExecutionListFilters, ExecutionUid } from "@/domain/agents/schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { listAgentOverviews, readActivity } from "@/server/read-models/agents/agent-list";
import { listProjectChoices } from "@/server/read-models/agents/agent-list";
import { getExecutionOverview, listExecutionOverviews } from "@/server/read-models/agents/execution-list";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const agentScreens = router({
  overview: memberProcedure
    .input(AgentListFilters)
    .query(({ ctx, input }) => listAgentOverviews(ctx.ctx, applyDemoRule(input))),
  activity: memberProcedure.input(AgentUid).query(async ({ ctx, input }) => {
    const activity = await readActivity(ctx.ctx, [input.uid]);
    return activity.get(input.uid) ?? null;
  }),
  executions: memberProcedure
    .input(z.object({ ...AgentUid.shape, ...ExecutionListFilters.shape }))
    .query(({ ctx, input: { uid, ...filters } }) => listExecutionOverviews(ctx.ctx, uid, filters)),
  executionOverview: memberProcedure
    .input(ExecutionUid)
    .query(({ ctx, input }) => getExecutionOverview(ctx.ctx, input.uid)),
  projects: memberProcedure.query(({ ctx }) => listProjectChoices(ctx.ctx)),
});
