import { ShownRows } from "@/domain/demo/schema";
import {
  DeliveryListFilters,
  DeliveryUid,
  FailureGroupFilters,
  WebhookListFilters,
  WebhookUid,
} from "@/domain/webhooks/schema";
import { applyDemoRule } from "@/server/features/devices/demo-queries";
import { getDeliveryView, groupFailures, listDeliveryRows } from "@/server/read-models/webhooks/delivery-list";
import { countTurnedOff, getWebhookOverview, listWebhookOverviews } from "@/server/read-models/webhooks/webhook-list";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const webhookScreens = router({
  overview: memberProcedure
    .input(WebhookListFilters)
    .query(({ ctx, input }) => listWebhookOverviews(ctx.ctx, applyDemoRule(input))),
  page: memberProcedure.input(WebhookUid).query(({ ctx, input }) => getWebhookOverview(ctx.ctx, input.uid)),
  turnedOff: memberProcedure.input(ShownRows).query(({ ctx, input }) => countTurnedOff(ctx.ctx, input)),
});

export const deliveryScreens = router({
  list: memberProcedure.input(DeliveryListFilters).query(({ ctx, input }) => listDeliveryRows(ctx.ctx, input)),
  get: memberProcedure.input(DeliveryUid).query(({ ctx, input }) => getDeliveryView(ctx.ctx, input.uid)),
  groups: memberProcedure.input(FailureGroupFilters).query(({ ctx, input }) => groupFailures(ctx.ctx, input)),
});
