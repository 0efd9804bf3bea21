import { z } from "zod";
import { BulkTags, BulkUids } from "@/server/bulk";
import { archiveRecordings, deleteRecordings, restoreRecordings, tagRecordings } from "@/server/recordings/bulk";
import { readDensities } from "@/server/recordings/density-read";
import { listFiles } from "@/server/recordings/files";
import { recordingEvents, recordingLanes } from "@/server/recordings/lanes";
import { readMessages } from "@/server/recordings/messages-read";
import { listRecordingOverviews } from "@/server/recordings/overview";
import {
  CreateRecording,
  DensityQuery,
  MessagesQuery,
  RecordingFilters,
  RecordingRange,
  RecordingScreenFilters,
  RecordingUid,
  SeriesQuery,
  UpdateRecording,
} from "@/server/recordings/schema";
import { readSeriesWindow } from "@/server/recordings/series-read";
import {
  createRecording,
  deleteRecording,
  getRecording,
  listRecordings,
  reprocessRecording,
  updateRecording,
} from "@/server/recordings/service";
import { confirmUpload, finalizeUpload, initUpload, uploadStatus, uploadUrls } from "@/server/recordings/uploads";
import { recordingVocabulary } from "@/server/recordings/vocabulary";
import { procedure, router } from "@/server/trpc/init";
import { ConfirmUpload, FinalizeUpload, InitUpload, UploadUrls } from "@/server/uploads/schema";

const of = <T extends z.ZodRawShape>(input: z.ZodObject<T>) => z.object({ ...RecordingUid.shape, ...input.shape });

/** URLs in these answers may be paths on the server the page came from. */
const upload = router({
  init: procedure.input(of(InitUpload)).mutation(({ ctx, input }) => initUpload(ctx.ctx, input.uid, input)),
  urls: procedure.input(of(UploadUrls)).mutation(({ ctx, input }) => uploadUrls(ctx.ctx, input.uid, input)),
  confirm: procedure.input(of(ConfirmUpload)).mutation(({ ctx, input }) => confirmUpload(ctx.ctx, input.uid, input)),
  finalize: procedure.input(of(FinalizeUpload)).mutation(({ ctx, input }) => finalizeUpload(ctx.ctx, input.uid, input)),
  status: procedure.input(RecordingUid).query(({ ctx, input }) => uploadStatus(ctx.ctx, input.uid)),
});

export const recordings = router({
  list: procedure.input(RecordingFilters).query(({ ctx, input }) => listRecordings(ctx.ctx, input)),
  overview: procedure.input(RecordingScreenFilters).query(({ ctx, input }) => listRecordingOverviews(ctx.ctx, input)),
  vocabulary: procedure.query(({ ctx }) => recordingVocabulary(ctx.ctx)),
  get: procedure.input(RecordingUid).query(({ ctx, input }) => getRecording(ctx.ctx, input.uid)),
  create: procedure.input(CreateRecording).mutation(({ ctx, input }) => createRecording(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...RecordingUid.shape, change: UpdateRecording }))
    .mutation(({ ctx, input }) => updateRecording(ctx.ctx, input.uid, input.change)),
  delete: procedure.input(RecordingUid).mutation(({ ctx, input }) => deleteRecording(ctx.ctx, input.uid)),
  reprocess: procedure.input(RecordingUid).mutation(({ ctx, input }) => reprocessRecording(ctx.ctx, input.uid)),
  tagMany: procedure.input(BulkTags).mutation(({ ctx, input }) => tagRecordings(ctx.ctx, input)),
  archiveMany: procedure.input(BulkUids).mutation(({ ctx, input }) => archiveRecordings(ctx.ctx, input.uids)),
  restoreMany: procedure.input(BulkUids).mutation(({ ctx, input }) => restoreRecordings(ctx.ctx, input.uids)),
  deleteMany: procedure.input(BulkUids).mutation(({ ctx, input }) => deleteRecordings(ctx.ctx, input.uids)),
  files: procedure.input(RecordingUid).query(({ ctx, input }) => listFiles(ctx.ctx, input.uid)),
  series: procedure.input(of(SeriesQuery)).query(({ ctx, input }) => readSeriesWindow(ctx.ctx, input.uid, input)),
  messages: procedure.input(of(MessagesQuery)).query(({ ctx, input }) => readMessages(ctx.ctx, input.uid, input)),
  densities: procedure.input(of(DensityQuery)).query(({ ctx, input }) => readDensities(ctx.ctx, input.uid, input)),
  lanes: procedure.input(RecordingUid).query(({ ctx, input }) => recordingLanes(ctx.ctx, input.uid)),
  events: procedure.input(of(RecordingRange)).query(({ ctx, input }) => recordingEvents(ctx.ctx, input.uid, input)),
  upload,
});
