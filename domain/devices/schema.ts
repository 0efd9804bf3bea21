import { z } from "zod";
import { deviceStatuses } from "@/domain/devices/connectivity";
import {
  choice,
  choices,
  commaList,
  jsonFilter,
  jsonObject,
  list,
  nonBlank,
  pageFields,
  queryBoolean,
  tags,
  text,
  uid,
} from "@/domain/fields";
import { maxNamed } from "@/domain/limits";
import { publishedAs } from "@/domain/published";
import { timestamp } from "@/domain/time/fields";

const fields = {
  name: nonBlank(255),
  type: nonBlank(100),
  firmware_version: text(100).nullable(),
  tags: tags(),
  metadata: jsonObject(),
};

export const CreateDevice = z.object({
  name: fields.name,
  type: fields.type.optional(),
  firmware_version: fields.firmware_version.optional(),
  tags: fields.tags.optional(),
  metadata: fields.metadata.optional(),
  /** Additive: part of the demo fleet, which is removed as a whole. */
  demo: z.boolean().optional(),
});
export type CreateDevice = z.output<typeof CreateDevice>;

/** What only admins change on a device: what it is called and which rules and silences apply to it. */
export const adminDeviceFields = ["name", "type", "group_ids"] as const;

/** `metadata` merges into what is there, one level deep; a null removes its key. `tags` replaces. */
export const UpdateDevice = z.object({
  name: fields.name.optional(),
  type: fields.type.optional(),
  status: choice(deviceStatuses).optional(),
  firmware_version: fields.firmware_version.optional(),
  tags: fields.tags.optional(),
  metadata: fields.metadata.optional(),
  last_seen_at: timestamp().optional(),
  /** Additive: replaces the groups that the device is in. */
  group_ids: list(uid("group"), maxNamed).optional(),
});
export type UpdateDevice = z.output<typeof UpdateDevice>;

export const Heartbeat = z.object({
  timestamp: timestamp().optional(),
  status: choice(deviceStatuses).optional(),
  firmware_version: fields.firmware_version.optional(),
  metadata: fields.metadata.optional(),
  metrics: jsonObject().optional(),
});
export type Heartbeat = z.output<typeof Heartbeat>;

const maxHeartbeats = 1_000;
const TimedHeartbeat = Heartbeat.required({ timestamp: true });
export type TimedHeartbeat = z.output<typeof TimedHeartbeat>;

/** Heartbeats that a device kept while it could not send them, in any order. */
export const HeartbeatBatch = z.object({
  heartbeats: publishedAs(
    z.array(z.unknown()).min(1).max(maxHeartbeats).pipe(z.array(TimedHeartbeat)),
    z.array(TimedHeartbeat).min(1).max(maxHeartbeats),
  ),
});
export type HeartbeatBatch = z.output<typeof HeartbeatBatch>;

export const DeviceFilters = z.object({
  status: choices(deviceStatuses).optional(),
  type: text(1_000).optional(),
  tags: commaList().optional(),
  metadata: jsonFilter().optional(),
  /** Additive: part of the name, or the beginning of the uid. */
  search: text(255).optional(),
  demo: queryBoolean().optional(),
  ...pageFields(),
});
export type DeviceFilters = z.output<typeof DeviceFilters>;

export const DeviceUid = z.object({ uid: uid("device") });

const groupFields = {
  name: nonBlank(255),
  description: text(),
  device_ids: list(uid("device"), maxNamed),
  parent_id: uid("group").nullable(),
};
/** How deep groups may be inside each other. */
export const maxGroupDepth = 8;

export const CreateGroup = z.object({
  name: groupFields.name,
  description: groupFields.description.optional(),
  device_ids: groupFields.device_ids.optional(),
  /** Additive: the group that it is in. */
  parent_id: groupFields.parent_id.optional(),
  /** Additive: part of the demo fleet, which is removed as a whole. */
  demo: z.boolean().optional(),
});
export type CreateGroup = z.output<typeof CreateGroup>;
export const UpdateGroup = CreateGroup.omit({ demo: true }).partial();
export type UpdateGroup = z.output<typeof UpdateGroup>;
export const GroupFilters = z.object(pageFields());
export type GroupFilters = z.output<typeof GroupFilters>;
export const GroupUid = z.object({ uid: uid("group") });
