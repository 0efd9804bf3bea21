import {
  CreateWebhook,
  DeliveryFilters,
  DeliveryUid,
  ReplaceWebhook,
  ReplayDeliveries,
  ReplayUid,
  UpdateWebhook,
  WebhookFilters,
  WebhookUid,
} from "@/domain/webhooks/schema";
import {
  getWebhookDelivery,
  listWebhookDeliveries,
  redeliver,
  testWebhook,
} from "@/server/features/webhooks/deliveries-service";
import { getReplay, startReplay, stopReplay } from "@/server/features/webhooks/replay-service";
import {
  DeliveryDetail,
  DeliveryResource,
  ReplayResource,
  ReplayResult,
  TestQueued,
  WebhookResource,
  WebhookWithSecret,
} from "@/server/features/webhooks/resource";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from "@/server/features/webhooks/service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof WebhookUid> = (ctx, params) => getWebhook(ctx, params.uid);

export const list = endpoint({
  method: "GET",
  path: "/webhooks/",
  id: "webhooks.list",
  summary: "List webhook subscriptions",
  permission: ["webhooks.read"],
  role: "member",
  query: WebhookFilters,
  response: toPageSchema(WebhookResource),
  handler: ({ ctx, query }) => listWebhooks(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/webhooks/",
  id: "webhooks.create",
  summary: "Create a webhook subscription",
  description: "The secret that signs is in this answer only. An address can be subscribed once.",
  permission: ["webhooks.write"],
  role: "admin",
  body: CreateWebhook,
  response: WebhookWithSecret,
  status: 201,
  handler: ({ ctx, body }) => createWebhook(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/webhooks/{uid}/",
  id: "webhooks.get",
  summary: "Get a webhook subscription",
  permission: ["webhooks.read"],
  role: "member",
  params: WebhookUid,
  response: WebhookResource,
  handler: ({ ctx, params }) => getWebhook(ctx, params.uid),
});

export const replace = endpoint({
  method: "PUT",
  path: "/webhooks/{uid}/",
  id: "webhooks.replace",
  summary: "Replace a webhook subscription",
  description: "A secret in the body is ignored: rotate it instead.",
  permission: ["webhooks.write"],
  role: "admin",
  params: WebhookUid,
  body: ReplaceWebhook,
  response: WebhookResource,
  exists,
  handler: ({ ctx, params, body }) => updateWebhook(ctx, params.uid, body),
});

export const update = endpoint({
  method: "PATCH",
  path: "/webhooks/{uid}/",
  id: "webhooks.update",
  summary: "Update a webhook subscription",
  description: "A secret in the body is ignored: rotate it instead.",
  permission: ["webhooks.write"],
  role: "admin",
  params: WebhookUid,
  body: UpdateWebhook,
  response: WebhookResource,
  exists,
  handler: ({ ctx, params, body }) => updateWebhook(ctx, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/webhooks/{uid}/",
  id: "webhooks.delete",
  summary: "Delete a webhook subscription",
  description: "Deliveries still queued are not sent; those on record stay.",
  permission: ["webhooks.write"],
  role: "admin",
  params: WebhookUid,
  status: 204,
  handler: ({ ctx, params }) => deleteWebhook(ctx, params.uid),
});

export const test = endpoint({
  method: "POST",
  path: "/webhooks/{uid}/test/",
  id: "webhooks.test",
  summary: "Send a test ping",
  permission: ["webhooks.write"],
  role: "admin",
  params: WebhookUid,
  response: TestQueued,
  status: 202,
  handler: ({ ctx, params }) => testWebhook(ctx, params.uid),
});

export const rotate = endpoint({
  method: "POST",
  path: "/webhooks/{uid}/rotate-secret/",
  id: "webhooks.rotate-secret",
  summary: "Rotate a webhook's secret",
  description: "The new secret is in this answer only. For 24 hours the old one signs beside it.",
  permission: ["webhooks.write"],
  role: "admin",
  params: WebhookUid,
  response: WebhookWithSecret,
  handler: ({ ctx, params }) => rotateWebhookSecret(ctx, params.uid),
});

export const replay = endpoint({
  method: "POST",
  path: "/webhooks/{uid}/replay/",
  id: "webhooks.replay",
  summary: "Replay failed deliveries",
  description:
    "Everything that failed in a period and that nobody has repeated yet, or just `uids`; at most 10,000 at once. With `per_second` at that rate.",
  permission: ["webhooks.write"],
  role: "admin",
  params: WebhookUid,
  body: ReplayDeliveries,
  response: ReplayResult,
  status: 202,
  exists,
  handler: ({ ctx, params, body }) => startReplay(ctx, params.uid, { ...body, retrying: false }),
});

export const replayProgress = endpoint({
  method: "GET",
  path: "/webhook-replays/{uid}/",
  id: "webhook-replays.get",
  frequent: true,
  summary: "Get a replay with its progress",
  permission: ["webhooks.read"],
  role: "member",
  params: ReplayUid,
  response: ReplayResource,
  handler: ({ ctx, params }) => getReplay(ctx, params.uid),
});

export const stop = endpoint({
  method: "POST",
  path: "/webhook-replays/{uid}/stop/",
  id: "webhook-replays.stop",
  summary: "Stop a replay",
  description: "What was not sent yet is `dropped`, and can be replayed later.",
  permission: ["webhooks.write"],
  role: "admin",
  params: ReplayUid,
  response: ReplayResource,
  handler: async ({ ctx, params }) => {
    await stopReplay(ctx, params.uid);
    return getReplay(ctx, params.uid);
  },
});

export const deliveries = endpoint({
  method: "GET",
  path: "/webhook-deliveries/",
  id: "webhook-deliveries.list",
  summary: "List webhook deliveries",
  permission: ["webhooks.read"],
  role: "member",
  query: DeliveryFilters,
  response: toPageSchema(DeliveryResource),
  handler: ({ ctx, query }) => listWebhookDeliveries(ctx, query),
});

export const delivery = endpoint({
  method: "GET",
  path: "/webhook-deliveries/{uid}/",
  id: "webhook-deliveries.get",
  summary: "Get a webhook delivery with its attempts",
  permission: ["webhooks.read"],
  role: "member",
  params: DeliveryUid,
  response: DeliveryDetail,
  handler: ({ ctx, params }) => getWebhookDelivery(ctx, params.uid),
});

export const redeliverOne = endpoint({
  method: "POST",
  path: "/webhook-deliveries/{uid}/redeliver/",
  id: "webhook-deliveries.redeliver",
  summary: "Redeliver a webhook delivery",
  permission: ["webhooks.write"],
  role: "admin",
  params: DeliveryUid,
  response: DeliveryDetail,
  status: 202,
  handler: ({ ctx, params }) => redeliver(ctx, params.uid),
});
