import { z } from "zod";
import {
  CheckModelUrl,
  ConnectModel,
  IntegrationUid,
  ModelUid,
  PromptModel,
  RunUid,
  StartRun,
  TryModel,
  UpdateIntegration,
  UpdateModel,
} from "@/domain/models/schema";
import {
  checkModelUrl,
  connectModel,
  listPipelines,
  rotateIntegrationSecret,
  updateIntegration,
} from "@/server/features/models/integration-service";
import { promptModel } from "@/server/features/models/prompt-service";
import { abortRun, deleteRun, retryRun } from "@/server/features/models/run-changes-service";
import { startRuns } from "@/server/features/models/run-service";
import { deleteModel, updateModel } from "@/server/features/models/service";
import { tryModel } from "@/server/features/models/try-service";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const models = router({
  /** The integrations that a rule's labelling action, or a run, can name. */
  pipelines: memberProcedure.query(({ ctx }) => listPipelines(ctx.ctx)),
  run: memberProcedure.input(StartRun).mutation(({ ctx, input: { integration, over } }) =>
    startRuns(ctx.ctx, integration, [
      {
        dataset_uid: over.dataset,
        dataset_item_uids: over.uids ?? [],
        slice_uid: over.slice,
        filter_query_string: over.filter,
        expected: over.expected,
      },
    ]),
  ),
  prompt: memberProcedure.input(PromptModel).mutation(({ ctx, input }) => promptModel(ctx.ctx, input)),
  checkUrl: adminProcedure.input(CheckModelUrl).query(({ input }) => checkModelUrl(input.url)),
  connect: adminProcedure.input(ConnectModel).mutation(({ ctx, input }) => connectModel(ctx.ctx, input)),
  update: adminProcedure
    .input(z.object({ ...ModelUid.shape, change: UpdateModel }))
    .mutation(({ ctx, input }) => updateModel(ctx.ctx, input.model_uid, input.change)),
  delete: adminProcedure.input(ModelUid).mutation(({ ctx, input }) => deleteModel(ctx.ctx, input.model_uid)),
  updateIntegration: adminProcedure
    .input(z.object({ ...IntegrationUid.shape, change: UpdateIntegration }))
    .mutation(({ ctx, input }) => updateIntegration(ctx.ctx, input.integration_uid, input.change)),
  rotateSecret: adminProcedure
    .input(IntegrationUid)
    .mutation(({ ctx, input }) => rotateIntegrationSecret(ctx.ctx, input.integration_uid)),
  tryOn: adminProcedure
    .input(z.object({ ...IntegrationUid.shape, ...TryModel.shape }))
    .mutation(({ ctx, input: { integration_uid: integration, ...item } }) => tryModel(ctx.ctx, integration, item)),
});

export const runs = router({
  stop: memberProcedure.input(RunUid).mutation(({ ctx, input }) => abortRun(ctx.ctx, input.uid)),
  retry: memberProcedure.input(RunUid).mutation(({ ctx, input }) => retryRun(ctx.ctx, input.uid)),
  delete: memberProcedure.input(RunUid).mutation(({ ctx, input }) => deleteRun(ctx.ctx, input.uid)),
});
