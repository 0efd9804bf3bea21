import { z } from "zod";
import {
  CreateRecording,
  DensityQuery,
  DerivedQuery,
  MessagesQuery,
  RecordingFilters,
  RecordingUid,
  SeriesQuery,
  TrackQuery,
  UpdateRecording,
} from "@/domain/recordings/schema";
import { ConfirmUpload, FinalizeUpload, InitUpload, UploadUrls } from "@/domain/uploads/schema";
import { listAttachments } from "@/server/features/recordings/attachment-service";
import {
  archiveRecordings,
  deleteRecordings,
  restoreRecordings,
  tagRecordings,
} from "@/server/features/recordings/bulk-service";
import { readDensities } from "@/server/features/recordings/density-queries";
import { readDerived } from "@/server/features/recordings/derived-service";
import { listFiles } from "@/server/features/recordings/file-service";
import { readMessagesWithBytes } from "@/server/features/recordings/message-service";
import { openPack } from "@/server/features/recordings/pack-service";
import { readSeriesWindow } from "@/server/features/recordings/series-service";
import {
  createRecording,
  deleteRecording,
  getRecording,
  listRecordings,
  reprocessRecording,
  updateRecording,
} from "@/server/features/recordings/service";
import { readTrack } from "@/server/features/recordings/track-service";
import {
  confirmUpload,
  finalizeUpload,
  initUpload,
  uploadStatus,
  uploadUrls,
} from "@/server/features/recordings/upload-service";
import { readViewers } from "@/server/features/recordings/viewer-service";
import { recordingVocabulary } from "@/server/features/recordings/vocabulary-queries";
import { BulkTags, BulkUids } from "@/server/platform/bulk";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

const of = <T extends z.ZodRawShape>(input: z.ZodObject<T>) => z.object({ ...RecordingUid.shape, ...input.shape });

/** URLs in these responses may be relative to the server that the page came from. */
const upload = router({
  init: memberProcedure.input(of(InitUpload)).mutation(({ ctx, input }) => initUpload(ctx.ctx, input.uid, input)),
  urls: memberProcedure.input(of(UploadUrls)).mutation(({ ctx, input }) => uploadUrls(ctx.ctx, input.uid, input)),
  confirm: memberProcedure
    .input(of(ConfirmUpload))
    .mutation(({ ctx, input }) => confirmUpload(ctx.ctx, input.uid, input)),
  finalize: memberProcedure
    .input(of(FinalizeUpload))
    .mutation(({ ctx, input }) => finalizeUpload(ctx.ctx, input.uid, input)),
  status: memberProcedure.input(RecordingUid).query(({ ctx, input }) => uploadStatus(ctx.ctx, input.uid)),
});

export const recordings = router({
  list: memberProcedure.input(RecordingFilters).query(({ ctx, input }) => listRecordings(ctx.ctx, input)),
  vocabulary: memberProcedure.query(({ ctx }) => recordingVocabulary(ctx.ctx)),
  get: memberProcedure.input(RecordingUid).query(({ ctx, input }) => getRecording(ctx.ctx, input.uid)),
  create: memberProcedure.input(CreateRecording).mutation(({ ctx, input }) => createRecording(ctx.ctx, input)),
  update: memberProcedure
    .input(z.object({ ...RecordingUid.shape, change: UpdateRecording }))
    .mutation(({ ctx, input }) => updateRecording(ctx.ctx, input.uid, input.change)),
  delete: adminProcedure.input(RecordingUid).mutation(({ ctx, input }) => deleteRecording(ctx.ctx, input.uid)),
  reprocess: memberProcedure.input(RecordingUid).mutation(({ ctx, input }) => reprocessRecording(ctx.ctx, input.uid)),
  tagMany: memberProcedure.input(BulkTags).mutation(({ ctx, input }) => tagRecordings(ctx.ctx, input)),
  archiveMany: memberProcedure.input(BulkUids).mutation(({ ctx, input }) => archiveRecordings(ctx.ctx, input.uids)),
  restoreMany: memberProcedure.input(BulkUids).mutation(({ ctx, input }) => restoreRecordings(ctx.ctx, input.uids)),
  deleteMany: adminProcedure.input(BulkUids).mutation(({ ctx, input }) => deleteRecordings(ctx.ctx, input.uids)),
  files: memberProcedure.input(RecordingUid).query(({ ctx, input }) => listFiles(ctx.ctx, input.uid)),
  attachments: memberProcedure.input(RecordingUid).query(({ ctx, input }) => listAttachments(ctx.ctx, input.uid)),
  series: memberProcedure.input(of(SeriesQuery)).query(({ ctx, input }) => readSeriesWindow(ctx.ctx, input.uid, input)),
  derived: memberProcedure.input(of(DerivedQuery)).query(({ ctx, input }) => readDerived(ctx.ctx, input.uid, input)),
  messages: memberProcedure
    .input(of(MessagesQuery))
    .query(({ ctx, input }) => readMessagesWithBytes(ctx.ctx, input.uid, input)),
  openPack: memberProcedure.input(RecordingUid).query(({ ctx, input }) => openPack(ctx.ctx, input.uid)),
  viewers: memberProcedure.input(RecordingUid).query(({ ctx, input }) => readViewers(ctx.ctx, input.uid)),
  track: memberProcedure.input(of(TrackQuery)).query(({ ctx, input }) => readTrack(ctx.ctx, input.uid, input)),
  densities: memberProcedure
    .input(of(DensityQuery))
    .query(({ ctx, input }) => readDensities(ctx.ctx, input.uid, input)),
  upload,
});
