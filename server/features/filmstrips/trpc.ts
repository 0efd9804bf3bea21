import { RecordingUid } from "@/domain/recordings/schema";
import { openFilmstrip } from "@/server/features/filmstrips/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const filmstrips = router({
  filmstrip: memberProcedure.input(RecordingUid).query(({ ctx, input }) => openFilmstrip(ctx.ctx, input.uid)),
});
