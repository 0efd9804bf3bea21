import { listPipelines } from "@/server/features/models/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const models = router({
  /** The integrations that a rule's labelling action can name. */
  pipelines: memberProcedure.query(({ ctx }) => listPipelines(ctx.ctx)),
});
