import { z } from "zod";
import { eventTypes } from "@/domain/events/event-type";
import {
  choice,
  choices,
  commaList,
  jsonFilter,
  jsonObject,
  nonBlank,
  pageFields,
  queryBoolean,
  tags,
  text,
  uid,
} from "@/domain/fields";
import { publishedAs } from "@/domain/published";
import { severities } from "@/domain/severity";
import { boundNs, timestampNs } from "@/domain/time/fields";

/** Milliseconds, fractions allowed, up to 30 years. */
const durationMs = z.number().min(0).max(1e12).nullable();

/** One schema for all, so that the API's description names it. */
export const SeveritySchema = choice(severities);

const fields = {
  type: choice(eventTypes),
  label: nonBlank(255),
  description: text(),
  tags: tags(),
  metadata: jsonObject(),
  severity: SeveritySchema,
};

export const CreateEvent = z.object({
  recording_id: uid("recording"),
  type: fields.type,
  label: fields.label,
  timestamp: timestampNs(),
  description: fields.description.optional(),
  duration_ms: durationMs.optional(),
  tags: fields.tags.optional(),
  metadata: fields.metadata.optional(),
  severity: fields.severity.optional(),
});
export type CreateEvent = z.output<typeof CreateEvent>;

const maxBatch = 1_000;

/** Entries of a batch lie below the top level, so their names are as on the wire. */
export const BatchEvent = z.object({
  type: fields.type,
  label: fields.label,
  timestamp: timestampNs(),
  description: fields.description.optional(),
  duration_ms: durationMs.optional(),
  tags: fields.tags.optional(),
  metadata: fields.metadata.optional(),
  severity: fields.severity.optional(),
});
export const CreateEvents = z.object({
  recording_id: uid("recording"),
  events: publishedAs(
    z.array(z.unknown()).min(1).max(maxBatch).pipe(z.array(BatchEvent)),
    z.array(BatchEvent).min(1).max(maxBatch),
  ),
});
export type CreateEvents = z.output<typeof CreateEvents>;

export const UpdateEvent = z.object({
  label: fields.label.optional(),
  description: fields.description.optional(),
  tags: fields.tags.optional(),
  metadata: fields.metadata.optional(),
  severity: fields.severity.optional(),
  duration_ms: durationMs.optional(),
});
export type UpdateEvent = z.output<typeof UpdateEvent>;

export const EventFilters = z.object({
  recording_id: text().optional(),
  device_id: text().optional(),
  type: choices(eventTypes).optional(),
  severity: choices(severities).optional(),
  since: boundNs().optional(),
  until: boundNs().optional(),
  order_by: choice(["timestamp", "-timestamp"]).optional(),
  metadata_filter: jsonFilter().optional(),
  tags: commaList().optional(),
  /** Additive. */
  demo: queryBoolean().optional(),
  ...pageFields(),
});
export type EventFilters = z.output<typeof EventFilters>;

export const EventUid = z.object({ uid: uid("event") });
