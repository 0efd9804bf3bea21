import { z } from "zod";
import { RecordingRange, RecordingScreenFilters, RecordingUid } from "@/domain/recordings/schema";
import { recordingEvents, recordingLanes } from "@/server/read-models/recordings/lanes";
import { listRecordingOverviews } from "@/server/read-models/recordings/recording-list";
import { procedure, router } from "@/server/transport/trpc/init";

export const recordingScreens = router({
  overview: procedure.input(RecordingScreenFilters).query(({ ctx, input }) => listRecordingOverviews(ctx.ctx, input)),
  lanes: procedure.input(RecordingUid).query(({ ctx, input }) => recordingLanes(ctx.ctx, input.uid)),
  events: procedure
    .input(z.object({ ...RecordingUid.shape, ...RecordingRange.shape }))
    .query(({ ctx, input }) => recordingEvents(ctx.ctx, input.uid, input)),
});
