import { AlertUid } from "@/domain/alerts/schema";
import { findCapture } from "@/server/features/captures/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const captures = router({
  capture: memberProcedure.input(AlertUid).query(({ ctx, input }) => findCapture(ctx.ctx, input.uid)),
});
