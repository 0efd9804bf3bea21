import { listMcpCalls } from "@/server/features/mcp/service";
import { mayWrite } from "@/server/transport/mcp/tools";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const mcp = router({
  /** Whether the caller's keys are accepted there, and whether the operator allows writes. */
  info: memberProcedure.query(({ ctx }) => ({ writes: mayWrite(), staff: ctx.ctx.permissions.staff })),
  calls: memberProcedure.query(({ ctx }) => listMcpCalls(ctx.ctx)),
});
