import { z } from "zod";
import {
  CheckTarget,
  CreateWebhook,
  DeliveryUid,
  PreviewReplay,
  ReplayUid,
  StartReplay,
  UpdateWebhook,
  WebhookUid,
} from "@/domain/webhooks/schema";
import { redeliver, testWebhook } from "@/server/features/webhooks/deliveries-service";
import { listReplays, previewReplay, startReplay, stopReplay } from "@/server/features/webhooks/replay-service";
import {
  checkTarget,
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from "@/server/features/webhooks/service";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const webhooks = router({
  create: adminProcedure.input(CreateWebhook).mutation(({ ctx, input }) => createWebhook(ctx.ctx, input)),
  update: adminProcedure
    .input(z.object({ ...WebhookUid.shape, change: UpdateWebhook }))
    .mutation(({ ctx, input }) => updateWebhook(ctx.ctx, input.uid, input.change)),
  delete: adminProcedure.input(WebhookUid).mutation(({ ctx, input }) => deleteWebhook(ctx.ctx, input.uid)),
  rotateSecret: adminProcedure.input(WebhookUid).mutation(({ ctx, input }) => rotateWebhookSecret(ctx.ctx, input.uid)),
  test: adminProcedure.input(WebhookUid).mutation(({ ctx, input }) => testWebhook(ctx.ctx, input.uid)),
  checkUrl: adminProcedure.input(CheckTarget).query(({ ctx, input }) => checkTarget(ctx.ctx, input)),
  replayPreview: memberProcedure
    .input(PreviewReplay)
    .query(({ ctx, input: { uid, ...selection } }) => previewReplay(ctx.ctx, uid, { ...selection, retrying: true })),
  replay: adminProcedure
    .input(StartReplay)
    .mutation(({ ctx, input: { uid, ...replay } }) => startReplay(ctx.ctx, uid, { ...replay, retrying: true })),
  replays: memberProcedure.input(WebhookUid).query(({ ctx, input }) => listReplays(ctx.ctx, input.uid)),
  stopReplay: adminProcedure.input(ReplayUid).mutation(({ ctx, input }) => stopReplay(ctx.ctx, input.uid)),
});

export const deliveries = router({
  redeliver: adminProcedure.input(DeliveryUid).mutation(({ ctx, input }) => redeliver(ctx.ctx, input.uid)),
});
