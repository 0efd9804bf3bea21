import { ChangeDataset, CreateDataset, DatasetAddress, DatasetPath } from "@/domain/datasets/schema";
import {
  checkAddress,
  createDataset,
  deleteDataset,
  getDataset,
  updateDataset,
} from "@/server/features/datasets/service";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const datasets = router({
  get: memberProcedure.input(DatasetPath).query(({ ctx, input }) => getDataset(ctx.ctx, input)),
  address: memberProcedure.input(DatasetAddress).query(({ ctx, input }) => checkAddress(ctx.ctx, input)),
  create: adminProcedure.input(CreateDataset).mutation(({ ctx, input }) => createDataset(ctx.ctx, input)),
  update: adminProcedure
    .input(ChangeDataset)
    .mutation(({ ctx, input: { change, ...path } }) => updateDataset(ctx.ctx, path, change)),
  delete: adminProcedure.input(DatasetPath).mutation(({ ctx, input }) => deleteDataset(ctx.ctx, input)),
});
