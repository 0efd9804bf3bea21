import { RetentionSettings } from "@/domain/organizations/retention";
import { getQuota } from "@/server/features/organizations/quota-service";
import { countDeletions, getRetentionState } from "@/server/read-models/organization/retention";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const organizationScreens = router({
  storage: memberProcedure.query(({ ctx }) => getQuota(ctx.ctx.organizationId)),
  retention: memberProcedure.query(({ ctx }) => getRetentionState(ctx.ctx)),
  countDeletions: adminProcedure.input(RetentionSettings).query(({ ctx, input }) => countDeletions(ctx.ctx, input)),
});
