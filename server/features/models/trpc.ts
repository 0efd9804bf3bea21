import { StartRun } from "@/domain/models/schema";
import { startRuns } from "@/server/features/models/run-service";
import { listPipelines } from "@/server/features/models/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const models = router({
  /** The integrations that a rule's labelling action, or a run, can name. */
  pipelines: memberProcedure.query(({ ctx }) => listPipelines(ctx.ctx)),
  run: memberProcedure
    .input(StartRun)
    .mutation(({ ctx, input: { integration, dataset, uids } }) =>
      startRuns(ctx.ctx, integration, [{ dataset_uid: dataset, dataset_item_uids: uids }]),
    ),
});
