import { DismissSteps, TickStep } from "@/domain/demo/schema";
import { dismissSteps, firstSteps, tickStep } from "@/server/demo/first-run-queries";
import { demoPresence, demoStatus, removeDemo, startDemo } from "@/server/demo/service";
import { adminProcedure, memberProcedure, ownProcedure, router } from "@/server/transport/trpc/init";

export const demo = router({
  status: memberProcedure.query(({ ctx }) => demoStatus(ctx.ctx)),
  presence: memberProcedure.query(({ ctx }) => demoPresence(ctx.ctx)),
  start: adminProcedure.mutation(({ ctx }) => startDemo(ctx.ctx)),
  remove: adminProcedure.mutation(({ ctx }) => removeDemo(ctx.ctx)),
  steps: memberProcedure.query(({ ctx }) => firstSteps(ctx.ctx)),
  tick: ownProcedure.input(TickStep).mutation(({ ctx, input }) => tickStep(ctx.ctx, input.step)),
  dismiss: ownProcedure.input(DismissSteps).mutation(({ ctx, input }) => dismissSteps(ctx.ctx, input.dismissed)),
});
