import {
  ChangeDataset,
  CreateDataset,
  DatasetAddress,
  DatasetMemberFilters,
  DatasetMemberPath,
  DatasetPath,
} from "@/domain/datasets/schema";
import { AssignMember } from "@/domain/organizations/assignment";
import {
  checkAddress,
  createDataset,
  deleteDataset,
  getDataset,
  updateDataset,
} from "@/server/features/datasets/service";
import { assignMember, listAssigned, unassignMember } from "@/server/features/membership/assignment-service";
import type { Ctx } from "@/server/platform/context";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

const find = async (ctx: Ctx, path: DatasetPath) => ({ kind: "dataset" as const, ...(await getDataset(ctx, path)) });

export const datasets = router({
  get: memberProcedure.input(DatasetPath).query(({ ctx, input }) => getDataset(ctx.ctx, input)),
  address: memberProcedure.input(DatasetAddress).query(({ ctx, input }) => checkAddress(ctx.ctx, input)),
  create: adminProcedure.input(CreateDataset).mutation(({ ctx, input }) => createDataset(ctx.ctx, input)),
  update: adminProcedure
    .input(ChangeDataset)
    .mutation(({ ctx, input: { change, ...path } }) => updateDataset(ctx.ctx, path, change)),
  members: router({
    list: adminProcedure
      .input(DatasetPath.extend(DatasetMemberFilters.shape))
      .query(async ({ ctx, input }) => listAssigned(ctx.ctx, await find(ctx.ctx, input), input)),
    add: adminProcedure
      .input(DatasetPath.extend(AssignMember.shape))
      .mutation(async ({ ctx, input }) => assignMember(ctx.ctx, await find(ctx.ctx, input), input)),
    remove: adminProcedure
      .input(DatasetMemberPath)
      .mutation(async ({ ctx, input }) => unassignMember(ctx.ctx, await find(ctx.ctx, input), input.user_uid)),
  }),
  delete: adminProcedure.input(DatasetPath).mutation(({ ctx, input }) => deleteDataset(ctx.ctx, input)),
});
