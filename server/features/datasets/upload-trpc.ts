import { z } from "zod";
import { DatasetPath } from "@/domain/datasets/schema";
import { DatasetSession, DatasetSessions, DatasetUploadFilters, LookUpNames } from "@/domain/datasets/upload-schema";
import { ConfirmUpload, FinalizeUpload, InitUpload, UploadUrls } from "@/domain/uploads/schema";
import {
  listDatasetUploads,
  listFailedFiles,
  lookUpNames,
  readingProgress,
} from "@/server/features/datasets/upload-list-service";
import {
  confirmDatasetUpload,
  datasetUploadStatus,
  datasetUploadUrls,
  finalizeDatasetUpload,
  initDatasetUpload,
} from "@/server/features/datasets/upload-service";
import { memberProcedure, readingProcedure, router } from "@/server/transport/trpc/init";

const of = <T extends z.ZodRawShape>(input: z.ZodObject<T>) => z.object({ ...DatasetPath.shape, ...input.shape });

/** URLs in these responses may be relative to the server that the page came from. */
const upload = router({
  init: memberProcedure.input(of(InitUpload)).mutation(({ ctx, input }) => initDatasetUpload(ctx.ctx, input, input)),
  urls: memberProcedure.input(of(UploadUrls)).mutation(({ ctx, input }) => datasetUploadUrls(ctx.ctx, input, input)),
  confirm: memberProcedure
    .input(of(ConfirmUpload))
    .mutation(({ ctx, input }) => confirmDatasetUpload(ctx.ctx, input, input)),
  finalize: memberProcedure
    .input(of(FinalizeUpload))
    .mutation(({ ctx, input }) => finalizeDatasetUpload(ctx.ctx, input, input)),
  status: memberProcedure
    .input(DatasetSession)
    .query(({ ctx, input }) => datasetUploadStatus(ctx.ctx, input, input.session_uid)),
  lookUp: readingProcedure.input(LookUpNames).mutation(({ ctx, input }) => lookUpNames(ctx.ctx, input)),
  reading: memberProcedure.input(DatasetSessions).query(({ ctx, input }) => readingProgress(ctx.ctx, input)),
});

/** Uploads to datasets, and what became of their files. */
export const datasetUploads = router({
  upload,
  uploads: memberProcedure.input(DatasetUploadFilters).query(({ ctx, input }) => listDatasetUploads(ctx.ctx, input)),
  failedFiles: memberProcedure
    .input(DatasetSession)
    .query(({ ctx, input }) => listFailedFiles(ctx.ctx, input, input.session_uid)),
});
