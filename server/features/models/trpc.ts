import { listPipelines } from "@/server/features/models/service";
import { procedure, router } from "@/server/transport/trpc/init";

export const models = router({
  /** The integrations that a rule's labelling action can name. */
  pipelines: procedure.query(({ ctx }) => listPipelines(ctx.ctx)),
});
