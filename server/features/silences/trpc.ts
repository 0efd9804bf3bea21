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
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const silences = router({
  list: memberProcedure.input(SilenceFilters).query(({ ctx, input }) => listSilences(ctx.ctx, input)),
  get: memberProcedure.input(SilenceUid).query(({ ctx, input }) => getSilence(ctx.ctx, input.uid)),
  names: memberProcedure.input(MatcherNames).query(({ ctx, input }) => matcherNames(ctx.ctx, input)),
  preview: memberProcedure.input(PreviewSilence).query(({ ctx, input }) => previewSilence(ctx.ctx, input)),
  create: memberProcedure.input(CreateSilence).mutation(({ ctx, input }) => createSilence(ctx.ctx, input)),
  update: memberProcedure
    .input(z.object({ ...SilenceUid.shape, change: UpdateSilence }))
    .mutation(({ ctx, input }) => updateSilence(ctx.ctx, input.uid, input.change)),
  expire: memberProcedure.input(SilenceUid).mutation(({ ctx, input }) => expireSilence(ctx.ctx, input.uid)),
  delete: memberProcedure.input(SilenceUid).mutation(({ ctx, input }) => deleteSilence(ctx.ctx, input.uid)),
});
