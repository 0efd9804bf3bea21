import { z } from "zod";
import { CreateEvent, CreateEvents, EventFilters, EventUid, UpdateEvent } from "@/domain/events/schema";
import { EventResource } from "@/server/features/events/resource";
import { deleteEvent, getEvent, listEvents, requireEventAuthor, updateEvent } from "@/server/features/events/service";
import { createEvent, createEvents } from "@/server/features/events/write-service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/fleet/events/",
  id: "events.list",
  summary: "List events",
  description: "Ordered by `timestamp`, newest first unless `order_by=timestamp`. `tags`: all of them.",
  permission: ["fleet.read"],
  role: "member",
  query: EventFilters,
  renames: { recording: "recording_id", device: "device_id" },
  response: toPageSchema(EventResource),
  handler: ({ ctx, query }) => listEvents(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/fleet/events/",
  id: "events.create",
  summary: "Create an event",
  description: "`severity` follows from `type` when it is not given. Times are kept to the nanosecond.",
  permission: ["fleet.write", "device"],
  role: "member",
  body: CreateEvent,
  renames: { recording: "recording_id" },
  response: EventResource,
  status: 201,
  handler: ({ ctx, body }) => createEvent(ctx, body),
});

export const createBatch = endpoint({
  method: "POST",
  path: "/fleet/events/batch/",
  id: "events.create-batch",
  summary: "Create up to 1,000 events of one recording",
  description: "All of them or, when any is invalid, none.",
  permission: ["fleet.write", "device"],
  role: "member",
  body: CreateEvents,
  maxBodyBytes: 8 * 1024 * 1024,
  renames: { recording: "recording_id" },
  response: z.array(EventResource),
  status: 201,
  handler: ({ ctx, body }) => createEvents(ctx, body),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/events/{uid}/",
  id: "events.get",
  summary: "Get an event",
  permission: ["fleet.read"],
  role: "member",
  params: EventUid,
  response: EventResource,
  handler: ({ ctx, params }) => getEvent(ctx, params.uid),
});

export const update = endpoint({
  method: "PATCH",
  path: "/fleet/events/{uid}/",
  id: "events.update",
  summary: "Update an event",
  permission: ["fleet.write"],
  role: "member",
  params: EventUid,
  body: UpdateEvent,
  response: EventResource,
  exists: (ctx, params) => requireEventAuthor(ctx, params.uid),
  handler: ({ ctx, params, body }) => updateEvent(ctx, params.uid, body),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/events/{uid}/",
  id: "events.delete",
  summary: "Delete an event",
  permission: ["fleet.write"],
  role: "member",
  params: EventUid,
  status: 204,
  handler: ({ ctx, params }) => deleteEvent(ctx, params.uid),
});
