import { CreateExport, ExportUid, PreviewExport } from "@/domain/exports/schema";
import { previewExport } from "@/server/features/exports/preview-service";
import { deleteExports, repeatExports } from "@/server/features/exports/service";
import { abortExport, createExport, getExport, repeatExport, retryExport } from "@/server/features/exports/service";
import { BulkUids } from "@/server/platform/bulk";
import { memberProcedure, readingProcedure, router } from "@/server/transport/trpc/init";

/** Links in these responses may be relative to the server that the page came from. */
export const dataExports = router({
  get: memberProcedure.input(ExportUid).query(({ ctx, input }) => getExport(ctx.ctx, input.uid)),
  create: memberProcedure.input(CreateExport).mutation(({ ctx, input }) => createExport(ctx.ctx, input)),
  preview: readingProcedure.input(PreviewExport).mutation(({ ctx, input }) => previewExport(ctx.ctx, input)),
  abort: memberProcedure.input(ExportUid).mutation(({ ctx, input }) => abortExport(ctx.ctx, input.uid)),
  retry: memberProcedure.input(ExportUid).mutation(({ ctx, input }) => retryExport(ctx.ctx, input.uid)),
  repeat: memberProcedure.input(ExportUid).mutation(({ ctx, input }) => repeatExport(ctx.ctx, input.uid)),
  repeatMany: memberProcedure.input(BulkUids).mutation(({ ctx, input }) => repeatExports(ctx.ctx, input.uids)),
  deleteMany: memberProcedure.input(BulkUids).mutation(({ ctx, input }) => deleteExports(ctx.ctx, input.uids)),
});
