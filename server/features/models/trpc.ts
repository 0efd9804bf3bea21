import { listPipelines } from "@/server/features/models/service";
import { procedure, router } from "@/server/transport/trpc/init";

export const models = router({
  /** What a rule can have a recording labelled by. */
  pipelines: procedure.query(({ ctx }) => listPipelines(ctx.ctx)),
});
