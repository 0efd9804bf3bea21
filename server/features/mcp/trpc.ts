import { listMcpCalls } from "@/server/features/mcp/service";
import { listToolAreas } from "@/server/transport/mcp/tool-areas";
import { mayWrite } from "@/server/transport/mcp/tools";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const mcp = router({
  /** Whether the caller's keys are accepted there, whether the operator allows writes, and the areas of the caller's tools. */
  info: memberProcedure.query(({ ctx }) => ({
    writes: mayWrite(),
    staff: ctx.ctx.permissions.staff,
    areas: listToolAreas(ctx.ctx),
  })),
  calls: memberProcedure.query(({ ctx }) => listMcpCalls(ctx.ctx)),
});
