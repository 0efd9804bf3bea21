import { z } from "zod";
import { momentStatuses, topicKinds } from "@/domain/moments/schema";
import { wholeNumber } from "@/domain/wire-values";

const MomentTopic = z.object({
  name: z.string(),
  schema: z.string(),
  kind: z.enum(topicKinds),
  hz: z.number(),
  /** Frames of the range that the rate takes. */
  frames: z.int(),
  bytes: wholeNumber,
  /** When its middle frame was logged, in nanoseconds; null without one. */
  sample_ns: z.string().nullable(),
});

export const MomentPreview = z.object({
  topics: z.array(MomentTopic),
  /** Frames of the chosen topics, the clip included. */
  frames: z.int(),
  /** Bytes of the files that would be added, about. */
  bytes: wholeNumber,
  /** How many of them the dataset has already. */
  present: z.int(),
  /** Whether every message was looked at; else the counts are estimated. */
  exact: z.boolean(),
  refused: z.enum(["too_many"]).nullable(),
  /** How many frames one request may add. */
  max_frames: z.int(),
});
export type MomentPreview = z.output<typeof MomentPreview>;

export const MomentsPreview = z.object({
  /** The moments with something to add, and those whose recording is gone or holds nothing of these kinds. */
  moments: z.int(),
  empty: z.int(),
  /** About; each moment for itself. */
  frames: z.int(),
  topics: z.array(z.string()),
  /** How many of the moments the dataset has already. */
  present: z.int(),
  refused: z.enum(["too_many"]).nullable(),
  max_frames: z.int(),
});
export type MomentsPreview = z.output<typeof MomentsPreview>;

export const MomentAdded = z.object({
  /** Null where the dataset has everything already. */
  moment_uid: z.string().nullable(),
  dataset_uid: z.string(),
  /** Items that will be added, about. */
  planned: z.int(),
  /** Those of the moment that the dataset has already. */
  present: z.int(),
});
export type MomentAdded = z.output<typeof MomentAdded>;

export const MomentResource = z.object({
  uid: z.string(),
  dataset_uid: z.string(),
  status: z.enum(momentStatuses),
  /** Ranges of recordings, and how many of them are done. */
  spans: z.int(),
  finished_spans: z.int(),
  planned: z.int(),
  added: z.int(),
  present: z.int(),
  failed: z.int().describe("Messages that could not become items."),
  error: z.string().describe("Why the first that failed is no item, or blank."),
  note: z.string(),
  created_by: z.string(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type MomentResource = z.output<typeof MomentResource>;
