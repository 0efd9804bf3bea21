import { RecordingRange, RecordingUid } from "@/domain/recordings/schema";
import { estimateCut } from "@/server/features/cuts/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const cuts = router({
  sizes: memberProcedure
    .input(RecordingUid.extend(RecordingRange.shape))
    .query(({ ctx, input: { uid, ...range } }) => estimateCut(ctx.ctx, uid, range)),
});
