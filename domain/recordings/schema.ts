import { z } from "zod";
import { eventTypes } from "@/domain/events/event-type";
import {
  choice,
  choices,
  clamped,
  commaList,
  list,
  nonBlank,
  ordered,
  pageFields,
  queryBoolean,
  tags,
  text,
  uid,
} from "@/domain/fields";
import { maxNameLength } from "@/domain/limits";
import { recordingStatuses } from "@/domain/recordings/recording-status";
import { timestamp, moment as screenMoment } from "@/domain/time/fields";
import { dateFromNs, parseDateTimeNs } from "@/domain/time/nanoseconds";
import { parseMomentNs } from "@/domain/time/relative";

const fields = { name: text(maxNameLength), tags: tags() };

/**
 * `device_id` is implied by a device token and required otherwise. `started_at` holds until the data give the start.
 */
export const CreateRecording = z
  .object({
    device_id: uid("device").optional(),
    name: fields.name.optional(),
    started_at: timestamp().optional(),
    tags: fields.tags.optional(),
  })
  .meta({ example: { device_id: "dev_0199c0de-7a11-7000-8000-000000000001", name: "Night run 7" } });
export type CreateRecording = z.output<typeof CreateRecording>;

/** `status`: `archived` from any state, `ready` from archived. `tags` replaces. */
export const UpdateRecording = z.object({
  name: fields.name.optional(),
  tags: fields.tags.optional(),
  status: choice(["archived", "ready"]).optional(),
});
export type UpdateRecording = z.output<typeof UpdateRecording>;

/** Days that a recording may have run before a time into which it reaches; bounded, so that an index finds it. */
export const maxReachDays = 2;

/** A time, from `from` to before `to`; one instant where both are the same. */
interface CoveredTime {
  from: Date;
  to: Date;
}

/** An instant, or two with a slash between: a recording that covers some of it. */
const coveredTime = (parse: (text: string) => bigint | null) =>
  z.string().transform((value, issues): CoveredTime => {
    const [from = null, to = from, ...others] = value.split("/").map((part) => parse(part));
    if (from !== null && to !== null && from <= to && others.length === 0) {
      return { from: dateFromNs(from), to: dateFromNs(to) };
    }
    issues.addIssue({
      code: "custom",
      message: "Enter a time such as 2026-11-24T14:10Z, or two with a slash between, the earlier first.",
    });
    return z.NEVER;
  });

export const RecordingFilters = z.object({
  device_id: text().optional(),
  status: choices(recordingStatuses).optional(),
  /** By creation; `since` inclusive, `until` exclusive. */
  since: timestamp().optional(),
  until: timestamp().optional(),
  /** Additive: by the time of the first message; `started_since` inclusive, `started_until` exclusive. */
  started_since: timestamp().optional(),
  started_until: timestamp().optional(),
  /** Additive: recordings of this instant, or of some of the time between two; begun up to `maxReachDays` before it. */
  covers: coveredTime(parseDateTimeNs).optional(),
  tags: commaList().optional(),
  /** Additive: recordings that hold this topic. */
  has_topic: text().optional(),
  /** Additive: recordings with an event of one of these types. */
  has_event: choices(eventTypes).optional(),
  /** Additive: part of the recording's or its device's name, or the beginning of the uid. */
  search: text(255).optional(),
  demo: queryBoolean().optional(),
  /** Additive; without it the newest first, by creation. */
  ordering: ordered(["created_at", "started_at", "size_bytes", "name"]),
  ...pageFields(),
});
export type RecordingFilters = z.output<typeof RecordingFilters>;

/** The same as the list's screen sends it: times may be relative. */
export const RecordingScreenFilters = RecordingFilters.extend({
  since: screenMoment().optional(),
  until: screenMoment().optional(),
  started_since: screenMoment().optional(),
  started_until: screenMoment().optional(),
  covers: coveredTime((text) => parseMomentNs(text)).optional(),
});

/** Devices on a page of the coverage calendar, and days in its window. */
export const coverageSize = { devices: 30, days: 28 } as const;

const maxDayMs = 26 * 3_600_000;
const areDays = (bounds: readonly Date[]): boolean =>
  bounds.every((bound, at) => {
    const before = bounds[at - 1];
    const length = before === undefined ? 1 : bound.getTime() - before.getTime();
    return length > 0 && length <= maxDayMs;
  });

/** When each day begins in the person's zone, and when the last one ends. */
export const CoverageRequest = z.object({
  bounds: z
    .array(timestamp())
    .min(2)
    .max(coverageSize.days + 1)
    .refine(areDays, { error: "Give the beginnings of days, in order, and the end of the last." }),
  device_id: text().optional(),
  demo: queryBoolean().optional(),
  ...pageFields({ default: coverageSize.devices, max: coverageSize.devices }),
});
export type CoverageRequest = z.output<typeof CoverageRequest>;

export const RecordingUid = z.object({ uid: uid("recording") });

/** Two recordings that are compared: what is different is that of `b`. */
export const RecordingPair = z.object({ a: uid("recording"), b: uid("recording") });
export type RecordingPair = z.output<typeof RecordingPair>;

/** A moment inside a recording: nanoseconds since 1970 as a decimal string, or an ISO 8601 time. */
export const moment = () =>
  z
    .string()
    .transform((value, issues) => {
      const ns = /^\d{1,19}$/.test(value) ? BigInt(value) : parseDateTimeNs(value);
      if (ns !== null && ns <= 0x7fff_ffff_ffff_ffffn) return ns;
      issues.addIssue({ code: "custom", message: "Give nanoseconds since 1970, or an ISO 8601 time." });
      return z.NEVER;
    })
    .meta({ format: "date-time" });

/** A field of a topic over time. Default: the whole recording, in 1,000 points. */
export const SeriesQuery = z.object({
  topic: nonBlank(),
  field: nonBlank(),
  from: moment().optional(),
  to: moment().optional(),
  points: clamped(10_000, 1_000, 9),
});
export type SeriesQuery = z.output<typeof SeriesQuery>;

/** A value computed from fields, over time. Default: the whole recording, in 1,000 points. */
export const DerivedQuery = z.object({
  expression: z.string().max(1_000),
  from: moment().optional(),
  to: moment().optional(),
  points: clamped(10_000, 1_000, 9),
});
export type DerivedQuery = z.output<typeof DerivedQuery>;

/** Messages of a topic around a time. Default: 20 from the recording's beginning; at most 200. */
export const MessagesQuery = z.object({
  topic: nonBlank(),
  at: moment().optional(),
  limit: clamped(200, 20, 9),
});
export type MessagesQuery = z.output<typeof MessagesQuery>;

/** Topics to return the density of. */
export const DensityQuery = z.object({ topics: list(nonBlank(), 100, 1) });
export type DensityQuery = z.output<typeof DensityQuery>;

/** The topic of a receiver of satellites, and its field that colours the track. */
export const TrackQuery = z.object({ topic: nonBlank(), colour: nonBlank().optional() });
export type TrackQuery = z.output<typeof TrackQuery>;

/** A span of a recording. Default: all of it. */
export const RecordingRange = z.object({ from: moment().optional(), to: moment().optional() });
export type RecordingRange = z.output<typeof RecordingRange>;
