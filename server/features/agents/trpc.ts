import { z } from "zod";
import { AgentName, AgentUid, ExecutionUid, RegisterAgent, SubmitAction, UpdateAgent } from "@/domain/agents/schema";
import { submitAction } from "@/server/features/agents/actions-service";
import { getExecution, pingAgent, resendExecution } from "@/server/features/agents/executions-service";
import { deleteAgent, findNamedAgent, getAgent, registerAgent, updateAgent } from "@/server/features/agents/service";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const agents = router({
  get: memberProcedure.input(AgentUid).query(({ ctx, input }) => getAgent(ctx.ctx, input.uid)),
  named: memberProcedure.input(AgentName).query(({ ctx, input }) => findNamedAgent(ctx.ctx, input.name)),
  register: adminProcedure.input(RegisterAgent).mutation(({ ctx, input }) => registerAgent(ctx.ctx, input)),
  update: adminProcedure
    .input(z.object({ ...AgentUid.shape, change: UpdateAgent }))
    .mutation(({ ctx, input }) => updateAgent(ctx.ctx, input.uid, input.change)),
  delete: adminProcedure.input(AgentUid).mutation(({ ctx, input }) => deleteAgent(ctx.ctx, input.uid)),
  test: adminProcedure.input(AgentUid).mutation(({ ctx, input }) => pingAgent(ctx.ctx, input.uid)),
  execution: memberProcedure.input(ExecutionUid).query(({ ctx, input }) => getExecution(ctx.ctx, input.uid)),
  resend: adminProcedure.input(ExecutionUid).mutation(({ ctx, input }) => resendExecution(ctx.ctx, input.uid)),
  act: adminProcedure.input(SubmitAction).mutation(({ ctx, input }) => submitAction(ctx.ctx, input)),
});
