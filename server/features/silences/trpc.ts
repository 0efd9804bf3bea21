import { z } from "zod";
import {
  CreateSilence,
  MatcherNames,
  PreviewSilence,
  SilenceFilters,
  SilenceUid,
  UpdateSilence,
} from "@/domain/silences/schema";
import {
  createSilence,
  deleteSilence,
  expireSilence,
  getSilence,
  listSilences,
  matcherNames,
  previewSilence,
  updateSilence,
} from "@/server/features/silences/service";
import { procedure, router } from "@/server/transport/trpc/init";

export const silences = router({
  list: procedure.input(SilenceFilters).query(({ ctx, input }) => listSilences(ctx.ctx, input)),
  get: procedure.input(SilenceUid).query(({ ctx, input }) => getSilence(ctx.ctx, input.uid)),
  names: procedure.input(MatcherNames).query(({ ctx, input }) => matcherNames(ctx.ctx, input)),
  preview: procedure.input(PreviewSilence).query(({ ctx, input }) => previewSilence(ctx.ctx, input)),
  create: procedure.input(CreateSilence).mutation(({ ctx, input }) => createSilence(ctx.ctx, input)),
  update: procedure
    .input(z.object({ ...SilenceUid.shape, change: UpdateSilence }))
    .mutation(({ ctx, input }) => updateSilence(ctx.ctx, input.uid, input.change)),
  expire: procedure.input(SilenceUid).mutation(({ ctx, input }) => expireSilence(ctx.ctx, input.uid)),
  delete: procedure.input(SilenceUid).mutation(({ ctx, input }) => deleteSilence(ctx.ctx, input.uid)),
});
