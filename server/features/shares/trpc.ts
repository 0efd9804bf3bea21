import { CreateShare, ShareFilters, ShareUid } from "@/domain/shares/schema";
import { createShare, listShares, revokeShare } from "@/server/features/shares/service";
import { memberProcedure, router } from "@/server/transport/trpc/init";

/** Opening a link is no procedure: its page reads it on the server. */
export const shares = router({
  list: memberProcedure.input(ShareFilters).query(({ ctx, input }) => listShares(ctx.ctx, input)),
  create: memberProcedure.input(CreateShare).mutation(({ ctx, input }) => createShare(ctx.ctx, input)),
  revoke: memberProcedure.input(ShareUid).mutation(({ ctx, input }) => revokeShare(ctx.ctx, input.uid)),
});
