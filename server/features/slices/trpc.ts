import { ChangeSlice, CreateSlice, SliceUid, ValidateSliceName } from "@/domain/slices/schema";
import { checkSliceName, createSlice, deleteSlice, findSlicePath, updateSlice } from "@/server/features/slices/service";
import { memberProcedure, readingProcedure, router } from "@/server/transport/trpc/init";

export const slices = router({
  create: memberProcedure.input(CreateSlice).mutation(({ ctx, input }) => createSlice(ctx.ctx, input)),
  checkName: readingProcedure.input(ValidateSliceName).query(({ ctx, input }) => checkSliceName(ctx.ctx, input.name)),
  update: memberProcedure
    .input(ChangeSlice)
    .mutation(async ({ ctx, input }) => updateSlice(ctx.ctx, await findSlicePath(ctx.ctx, input.uid), input.change)),
  delete: memberProcedure
    .input(SliceUid)
    .mutation(async ({ ctx, input }) => deleteSlice(ctx.ctx, await findSlicePath(ctx.ctx, input.uid))),
});
