import type { z } from "zod";
import { channelTypes, type ChannelType } from "@/domain/channels/channel-type";
import { channelKinds } from "@/domain/channels/registry";
import { ChannelFilters, ChannelUid, CreateChannel, DeliveryFilters, UpdateChannel } from "@/domain/channels/schema";
import { listDeliveries, testChannel } from "@/server/features/channels/deliveries-service";
import { ChannelResource, CreatedChannel, DeliveryResource, TestResult } from "@/server/features/channels/resource";
import {
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  updateChannel,
} from "@/server/features/channels/service";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const exists: ExistsCheck<typeof ChannelUid> = (ctx, params) => getChannel(ctx, params.uid);

export const list = endpoint({
  method: "GET",
  path: "/fleet/alerts/channels/",
  aliases: ["/fleet/alert-channels/"],
  id: "channels.list",
  summary: "List alert channels",
  permission: ["fleet.read"],
  role: "member",
  query: ChannelFilters,
  response: toPageSchema(ChannelResource),
  handler: ({ ctx, query }) => listChannels(ctx, query),
});

/** Documents a type with the members of its configuration, optional ones with a `?`. */
function configText(type: ChannelType): string {
  const members = Object.entries<z.ZodType>(channelKinds[type].config.shape);
  return `${type} \`{${members.map(([name, schema]) => (schema.isOptional() ? `${name}?` : name)).join(", ")}}\``;
}

export const create = endpoint({
  method: "POST",
  path: "/fleet/alerts/channels/",
  aliases: ["/fleet/alert-channels/"],
  id: "channels.create",
  summary: "Create an alert channel",
  description:
    `\`config\` by type: ${channelTypes.map(configText).join(", ")}. Secrets are shown masked afterwards; ` +
    "a signing secret that was generated is in this answer only.",
  permission: ["fleet.write"],
  role: "admin",
  body: CreateChannel,
  response: CreatedChannel,
  status: 201,
  handler: ({ ctx, body }) => createChannel(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/alerts/channels/{uid}/",
  aliases: ["/fleet/alert-channels/{uid}/"],
  id: "channels.get",
  summary: "Get an alert channel",
  permission: ["fleet.read"],
  role: "member",
  params: ChannelUid,
  response: ChannelResource,
  handler: ({ ctx, params }) => getChannel(ctx, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/fleet/alerts/channels/{uid}/",
  aliases: ["/fleet/alert-channels/{uid}/"],
  id: "channels.update",
  summary: "Update an alert channel",
  description:
    "`config` merges: null removes a member, a secret sent back masked stays what it was. The type is fixed.",
  permission: ["fleet.write"],
  role: "admin",
  params: ChannelUid,
  body: UpdateChannel,
  response: ChannelResource,
  exists,
  handler: ({ ctx, params, body }) => updateChannel(ctx, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/alerts/channels/{uid}/",
  aliases: ["/fleet/alert-channels/{uid}/"],
  id: "channels.delete",
  summary: "Delete an alert channel",
  description: "Refused while rules use it.",
  permission: ["fleet.write"],
  role: "admin",
  params: ChannelUid,
  status: 204,
  handler: ({ ctx, params }) => deleteChannel(ctx, params.uid),
});

export const test = endpoint({
  method: "POST",
  path: "/fleet/alerts/channels/{uid}/test/",
  aliases: ["/fleet/alert-channels/{uid}/test/"],
  id: "channels.test",
  summary: "Send a test message",
  description: "Answers when the receiver has, after 20 seconds at most.",
  permission: ["fleet.write"],
  role: "admin",
  params: ChannelUid,
  response: TestResult,
  handler: ({ ctx, params }) => testChannel(ctx, params.uid),
});

export const deliveries = endpoint({
  method: "GET",
  path: "/fleet/alerts/channels/{uid}/deliveries/",
  aliases: ["/fleet/alert-channels/{uid}/deliveries/"],
  id: "channels.deliveries",
  summary: "List a channel's deliveries",
  permission: ["fleet.read"],
  role: "member",
  params: ChannelUid,
  query: DeliveryFilters,
  response: toPageSchema(DeliveryResource),
  exists,
  handler: ({ ctx, params, query }) => listDeliveries(ctx, params.uid, query),
});
