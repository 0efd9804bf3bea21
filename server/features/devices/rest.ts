import { z } from "zod";
import {
  CreateDevice,
  DeviceFilters,
  DeviceUid,
  Heartbeat,
  HeartbeatBatch,
  UpdateDevice,
} from "@/domain/devices/schema";
import { recordHeartbeats } from "@/server/features/devices/heartbeat-batch-service";
import { resolveDevice, recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import {
  DeviceResource,
  HeartbeatBatchResponse,
  HeartbeatResponse,
  RegisteredDevice,
} from "@/server/features/devices/resource";
import {
  deleteDevice,
  getDevice,
  listDevices,
  registerDevice,
  requireDeviceFields,
  rotateDeviceToken,
  updateDevice,
} from "@/server/features/devices/service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/fleet/devices/",
  id: "devices.list",
  summary: "List devices",
  permission: ["fleet.read"],
  role: "member",
  query: DeviceFilters,
  response: toPageSchema(DeviceResource),
  handler: ({ ctx, query }) => listDevices(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/fleet/devices/",
  id: "devices.create",
  summary: "Register a device",
  description: "The answer carries `device_token`, this once.",
  permission: ["fleet.write"],
  role: "admin",
  body: CreateDevice,
  response: RegisteredDevice,
  status: 201,
  handler: ({ ctx, body }) => registerDevice(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/devices/{uid}/",
  id: "devices.get",
  summary: "Get a device",
  permission: ["fleet.read"],
  role: "member",
  params: DeviceUid,
  response: DeviceResource,
  handler: ({ ctx, params }) => getDevice(ctx, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/fleet/devices/{uid}/",
  id: "devices.update",
  summary: "Update a device",
  description:
    "`tags` replaces all tags, `group_ids` all groups; `metadata` merges one level deep, and a null removes its key. " +
    "`last_seen_at` never goes back: an earlier time than the stored one is ignored. " +
    "Members may not send `name`, `type` or `group_ids`.",
  permission: ["fleet.write"],
  role: "member",
  params: DeviceUid,
  body: UpdateDevice,
  response: DeviceResource,
  exists: async (ctx, params, sent) => {
    await getDevice(ctx, params.uid);
    requireDeviceFields(ctx, sent);
  },
  handler: ({ ctx, params, body }) => updateDevice(ctx, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/devices/{uid}/",
  id: "devices.delete",
  summary: "Delete a device",
  description: "Its recordings, events and alerts are kept; its token ends.",
  permission: ["fleet.write"],
  role: "admin",
  params: DeviceUid,
  status: 204,
  handler: ({ ctx, params }) => deleteDevice(ctx, params.uid),
});

export const rotateToken = endpoint({
  method: "POST",
  path: "/fleet/devices/{uid}/rotate-token/",
  id: "devices.rotate-token",
  summary: "Rotate a device's token",
  permission: ["fleet.write"],
  role: "admin",
  params: DeviceUid,
  response: RegisteredDevice,
  handler: ({ ctx, params }) => rotateDeviceToken(ctx, params.uid),
});

const HeartbeatUid = z.object({ uid: z.union([z.literal("me"), DeviceUid.shape.uid]) });

export const heartbeat = endpoint({
  method: "POST",
  path: "/fleet/devices/{uid}/heartbeat/",
  id: "devices.heartbeat",
  frequent: true,
  summary: "Send a heartbeat",
  description: "`me` stands for the device whose token is presented.",
  permission: ["fleet.write", "device"],
  role: "member",
  params: HeartbeatUid,
  body: Heartbeat,
  response: HeartbeatResponse,
  exists: (ctx, params) => getDevice(ctx, resolveDevice(ctx, params.uid)),
  handler: ({ ctx, params, body }) => recordHeartbeat(ctx, params.uid, body),
});

export const heartbeatBatch = endpoint({
  method: "POST",
  path: "/fleet/devices/me/heartbeat/batch/",
  id: "devices.heartbeat-batch",
  frequent: true,
  summary: "Send heartbeats that could not be sent before",
  description:
    "Up to 1,000 of the last 7 days, all or none, each with its `timestamp`. A time that was sent before counts once. " +
    "Only the newest changes the device. Under load, a 503 says when to come.",
  permission: ["device"],
  role: "member",
  body: HeartbeatBatch,
  maxBodyBytes: 8 * 1024 * 1024,
  concurrency: { requests: 100, bytes: 32 * 1024 * 1024 },
  response: HeartbeatBatchResponse,
  handler: ({ ctx, body }) => recordHeartbeats(ctx, body),
});
