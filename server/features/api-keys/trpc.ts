import { CreateKey, KeyFilters, KeyUid, RegenerateKey } from "@/domain/api-keys/schema";
import { createKey, getKey, getKeyUse, listKeys, regenerateKey, revokeKey } from "@/server/features/api-keys/service";
import { procedure, router } from "@/server/transport/trpc/init";

export const apiKeys = router({
  list: procedure.input(KeyFilters).query(({ ctx, input }) => listKeys(ctx.ctx, input)),
  get: procedure.input(KeyUid).query(({ ctx, input }) => getKey(ctx.ctx, input.uid)),
  use: procedure.input(KeyUid).query(({ ctx, input }) => getKeyUse(ctx.ctx, input.uid)),
  create: procedure.input(CreateKey).mutation(({ ctx, input }) => createKey(ctx.ctx, input)),
  revoke: procedure.input(KeyUid).mutation(({ ctx, input }) => revokeKey(ctx.ctx, input.uid)),
  regenerate: procedure.input(RegenerateKey).mutation(({ ctx, input }) => regenerateKey(ctx.ctx, input)),
});
