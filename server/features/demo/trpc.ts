import { DismissSteps, TickStep } from "@/domain/demo/schema";
import { dismissSteps, firstSteps, tickStep } from "@/server/features/demo/first-run-queries";
import { demoStatus, removeDemo, startDemo } from "@/server/features/demo/service";
import { procedure, router } from "@/server/transport/trpc/init";

export const demo = router({
  status: procedure.query(({ ctx }) => demoStatus(ctx.ctx)),
  start: procedure.mutation(({ ctx }) => startDemo(ctx.ctx)),
  remove: procedure.mutation(({ ctx }) => removeDemo(ctx.ctx)),
  steps: procedure.query(({ ctx }) => firstSteps(ctx.ctx)),
  tick: procedure.input(TickStep).mutation(({ ctx, input }) => tickStep(ctx.ctx, input.step)),
  dismiss: procedure.input(DismissSteps).mutation(({ ctx, input }) => dismissSteps(ctx.ctx, input.dismissed)),
});
