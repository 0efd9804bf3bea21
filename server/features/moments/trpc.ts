import {
  AddInput,
  AddManyInput,
  MarkedObjects,
  MomentFilters,
  MomentUid,
  NewTarget,
  PreviewInput,
  PreviewManyInput,
  TargetFilters,
} from "@/domain/moments/schema";
import { addMoment, createTarget, previewMoment } from "@/server/features/moments/add-service";
import { findMoment, listMarks, listMoments, listTargets } from "@/server/features/moments/list-queries";
import { addMoments, previewMoments } from "@/server/features/moments/many-service";
import { undoMoment } from "@/server/features/moments/undo-service";
import { adminProcedure, memberProcedure, readingProcedure, router } from "@/server/transport/trpc/init";

export const moments = router({
  targets: memberProcedure.input(TargetFilters).query(({ ctx, input }) => listTargets(ctx.ctx, input)),
  marks: memberProcedure.input(MarkedObjects).query(({ ctx, input }) => listMarks(ctx.ctx, input)),
  createTarget: adminProcedure.input(NewTarget).mutation(({ ctx, input }) => createTarget(ctx.ctx, input)),
  list: memberProcedure.input(MomentFilters).query(({ ctx, input }) => listMoments(ctx.ctx, input)),
  get: memberProcedure.input(MomentUid).query(({ ctx, input }) => findMoment(ctx.ctx, input.uid)),
  preview: memberProcedure.input(PreviewInput).query(({ ctx, input }) => previewMoment(ctx.ctx, input.dataset, input)),
  previewMany: readingProcedure
    .input(PreviewManyInput)
    .mutation(({ ctx, input }) => previewMoments(ctx.ctx, input.dataset, input)),
  add: memberProcedure
    .input(AddInput)
    .mutation(({ ctx, input: { dataset, ...input } }) => addMoment(ctx.ctx, dataset, input)),
  addMany: memberProcedure
    .input(AddManyInput)
    .mutation(({ ctx, input: { dataset, ...input } }) => addMoments(ctx.ctx, dataset, input)),
  undo: memberProcedure.input(MomentUid).mutation(({ ctx, input }) => undoMoment(ctx.ctx, input.uid)),
});
