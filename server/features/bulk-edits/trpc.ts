import {
  BulkEditFailureFilters,
  BulkEditsInDataset,
  BulkEditUid,
  CopyItems,
  DeleteItems,
  UpdateItems,
} from "@/domain/bulk-edits/schema";
import {
  getBulkEdit,
  listBulkEditFailures,
  listBulkEdits,
  startBulkEdit,
  stopBulkEdit,
  undoBulkEdit,
} from "@/server/features/bulk-edits/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

/** Changes to many items at a time; each answers with a bulk edit, whose progress `edit` and `edits` tell. */
export const bulkEdits = router({
  updateMany: memberProcedure
    .input(UpdateItems)
    .mutation(({ ctx, input: { metadata, ...selection } }) =>
      startBulkEdit(ctx.ctx, { kind: "metadata", selection, metadata }),
    ),
  deleteMany: memberProcedure
    .input(DeleteItems)
    .mutation(({ ctx, input: selection }) => startBulkEdit(ctx.ctx, { kind: "delete", selection })),
  copyTo: memberProcedure
    .input(CopyItems)
    .mutation(({ ctx, input: { target, ...selection } }) =>
      startBulkEdit(ctx.ctx, { kind: "copy", selection, target }),
    ),
  edit: memberProcedure.input(BulkEditUid).query(({ ctx, input }) => getBulkEdit(ctx.ctx, input.uid)),
  edits: memberProcedure.input(BulkEditsInDataset).query(({ ctx, input }) => listBulkEdits(ctx.ctx, input.dataset)),
  editFailures: memberProcedure
    .input(BulkEditFailureFilters)
    .query(({ ctx, input }) => listBulkEditFailures(ctx.ctx, input)),
  stopEdit: memberProcedure.input(BulkEditUid).mutation(({ ctx, input }) => stopBulkEdit(ctx.ctx, input.uid)),
  undoEdit: memberProcedure.input(BulkEditUid).mutation(({ ctx, input }) => undoBulkEdit(ctx.ctx, input.uid)),
});
