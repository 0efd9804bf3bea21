import { z } from "zod";
import { recordingStatuses } from "@/domain/recordings/recording-status";
import { isoTime, wholeNumber, wireInteger } from "@/domain/wire-values";
import { UploadStatus } from "@/server/features/uploads/resource";
import { displayName } from "@/server/platform/storage/file-name";

/** An interval of a recording without data; nanoseconds since 1970 as decimal strings. */
export const RecordingGap = z.looseObject({ start_ns: z.string(), end_ns: z.string(), kind: z.string() });

/** A recording in REST and tRPC. Everything after `created_at` extends the published resource. */
export const RecordingResource = z.object({
  uid: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  status: z.enum(recordingStatuses),
  duration_seconds: z.number(),
  size_bytes: wholeNumber,
  topic_count: z.int(),
  tags: z.array(z.string()),
  started_at: z.string(),
  ended_at: z.string(),
  created_at: z.string(),
  name: z.string(),
  error_message: z.string().nullable(),
  warnings: z.array(z.string()),
  gaps: z.array(RecordingGap),
  format: z.string().nullable(),
  message_count: wholeNumber,
  /** Nanoseconds since 1970 of the first and last message; null until known. */
  start_ns: z.string().nullable(),
  end_ns: z.string().nullable(),
  /** The current stage of processing and its progress (0 to 1); null when nothing is being processed. */
  stage: z.string().nullable(),
  progress: z.number().nullable(),
  demo: z.boolean(),
});
export type RecordingResource = z.output<typeof RecordingResource>;

export const TopicField = z.looseObject({ path: z.string(), kind: z.string() });

export const LongList = z.object({ path: z.string(), elements: z.int() });

const RecordingTopic = z.object({
  name: z.string(),
  schema: z.string(),
  message_count: wholeNumber,
  frequency_hz: z.number(),
  encoding: z.string(),
  /** The fields that can be plotted. */
  fields: z.array(TopicField),
  /** Lists that are too long for their elements to be fields, with their length in the first message. */
  long_lists: z.array(LongList),
  /** Why its messages cannot be decoded; null when they can. */
  error: z.string().nullable(),
});
type RecordingTopic = z.output<typeof RecordingTopic>;

export const RecordingDetail = RecordingResource.extend({
  topics: z.array(RecordingTopic),
  /** What reading it took, of time and of processor time; null until it is processed. */
  processing_seconds: z.number().nullable(),
  processing_cpu_seconds: z.number().nullable(),
  /** Whether an earlier version of Muster processed it, so that processing it again brings more. */
  processed_by_earlier: z.boolean(),
});
export type RecordingDetail = z.output<typeof RecordingDetail>;

/**
 * `recording_*` and `progress` extend the published shape: a device may not read its recording, but may follow its
 * processing.
 */
export const RecordingUploadStatus = UploadStatus.extend({
  recording_status: z.enum(recordingStatuses),
  error_message: z.string().nullable(),
  progress: z.number().nullable(),
});
export type RecordingUploadStatus = z.output<typeof RecordingUploadStatus>;

export const RecordingFile = z.object({
  uid: z.string(),
  /** The path that the uploader gave; `name` is the file name of the download. */
  path: z.string(),
  name: z.string(),
  size_bytes: wholeNumber,
  etag: z.string().nullable(),
  confirmed: z.boolean(),
  /** The uid of the uploaded file that Muster made this one from, which it reads in its place; null for an uploaded one. */
  derived_from: z.string().nullable(),
  /** A signed link, valid for an hour; null until the file is confirmed. */
  download_url: z.string().nullable(),
});
export type RecordingFile = z.output<typeof RecordingFile>;

/** What a recorder wrote beside the messages of a file. */
export const RecordingAttachment = z.object({
  kind: z.enum(["attachment", "metadata"]),
  name: z.string(),
  media_type: z.string(),
  size_bytes: wholeNumber,
  /** Nanoseconds since 1970 as decimal strings; null for metadata. */
  log_time_ns: z.string().nullable(),
  create_time_ns: z.string().nullable(),
  /** The values of metadata; `truncated` when some of it is only in the download. */
  values: z.record(z.string(), z.string()).nullable(),
  truncated: z.boolean(),
  file_uid: z.string().nullable(),
  download_url: z.string().nullable(),
});
export type RecordingAttachment = z.output<typeof RecordingAttachment>;

/** A recording as the statements of service.ts select it: int8 and times before serialization. */
export interface RecordingRow extends Omit<RecordingResource, "size_bytes" | "message_count" | Times> {
  size_bytes: bigint | number | string;
  message_count: bigint | number | string;
  started_at: Date | string;
  ended_at: Date | string;
  created_at: Date | string;
}
type Times = "started_at" | "ended_at" | "created_at";

export const serializeRecording = (row: RecordingRow): RecordingResource => ({
  ...row,
  size_bytes: wireInteger(row.size_bytes),
  message_count: wireInteger(row.message_count),
  started_at: isoTime(row.started_at),
  ended_at: isoTime(row.ended_at),
  created_at: isoTime(row.created_at),
});

export const serializeFile = (
  file: {
    uid: string;
    path: string;
    sizeBytes: bigint;
    etag: string | null;
    confirmedAt: Date | null;
    derivedFrom: string | null;
  },
  downloadUrl: string | null,
): RecordingFile => ({
  uid: file.uid,
  path: file.path,
  name: displayName(file.path),
  size_bytes: wireInteger(file.sizeBytes),
  etag: file.etag,
  confirmed: file.confirmedAt !== null,
  derived_from: file.derivedFrom,
  download_url: downloadUrl,
});

export const MessageResource = z.object({
  /** To the millisecond; the exact times follow, in nanoseconds since 1970 as decimal strings. */
  time: z.string(),
  log_time_ns: z.string(),
  publish_time_ns: z.string(),
  sequence: z.number(),
  size_bytes: z.int(),
  /** The decoded message; null when it could not be decoded (see `error`). */
  value: z.unknown(),
  error: z.string().nullable(),
});
export type MessageResource = z.output<typeof MessageResource>;

export const MessagesAround = z.object({
  topic: z.string(),
  schema: z.string(),
  encoding: z.string(),
  at: z.string(),
  messages: z.array(MessageResource),
});
export type MessagesAround = z.output<typeof MessagesAround>;

/** `[t, min, max, first, last, count]`; `t` in nanoseconds since 1970 as a decimal string. */
const SeriesPoint = z.tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.number()]);
/**
 * `[t, value, merged]`: the value from `t` until the next entry; `merged` counts the changes within it that were too
 * short to store.
 */
const SeriesState = z.tuple([z.string(), z.union([z.string(), z.number(), z.boolean()]), z.number()]);

/** `level`: the stored level that was read, 0 being the finest; `raw` when the messages themselves were read. */
export const SeriesWindow = z.object({
  topic: z.string(),
  field: z.string(),
  kind: z.enum(["number", "state"]),
  unit: z.string().optional(),
  level: z.union([z.int(), z.literal("raw")]),
  from: z.string(),
  to: z.string(),
  points: z.array(SeriesPoint),
  states: z.array(SeriesState).optional(),
});
export type SeriesWindow = z.output<typeof SeriesWindow>;
