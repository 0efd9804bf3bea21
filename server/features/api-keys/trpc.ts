import { CreateKey, KeyFilters, KeyLimit, KeyUid, RegenerateKey } from "@/domain/api-keys/schema";
import { countKeysEndingUnder } from "@/server/features/api-keys/expiry-service";
import { createKey, getKey, getKeyUse, listKeys, regenerateKey, revokeKey } from "@/server/features/api-keys/service";
import { adminProcedure, memberProcedure, ownProcedure, router } from "@/server/transport/trpc/init";

export const apiKeys = router({
  list: memberProcedure.input(KeyFilters).query(({ ctx, input }) => listKeys(ctx.ctx, input)),
  get: memberProcedure.input(KeyUid).query(({ ctx, input }) => getKey(ctx.ctx, input.uid)),
  use: memberProcedure.input(KeyUid).query(({ ctx, input }) => getKeyUse(ctx.ctx, input.uid)),
  endingUnder: adminProcedure.input(KeyLimit).query(({ ctx, input }) => countKeysEndingUnder(ctx.ctx, input)),
  create: ownProcedure.input(CreateKey).mutation(({ ctx, input }) => createKey(ctx.ctx, input)),
  revoke: ownProcedure.input(KeyUid).mutation(({ ctx, input }) => revokeKey(ctx.ctx, input.uid)),
  regenerate: ownProcedure.input(RegenerateKey).mutation(({ ctx, input }) => regenerateKey(ctx.ctx, input)),
});
