import { z } from "zod";
import { DatasetPath, dataTypes } from "@/domain/datasets/schema";
import { choice, distinct, longPage, nonBlank, text, uid } from "@/domain/fields";
import { maxNamed } from "@/domain/limits";
import { moment } from "@/domain/recordings/schema";

/** Frames that one request may add; beyond them a lower rate is needed. */
export const maxMomentFrames = 5_000;
/** Hours for which adding can be undone. */
export const undoHours = 24;

/** What the messages of a topic become: pictures, point clouds, or nothing but a part of the clip. */
export const topicKinds = ["image", "points", "other"] as const;
export type TopicKind = (typeof topicKinds)[number];
export const frameKinds = ["image", "points"] as const satisfies readonly TopicKind[];
export type FrameKind = (typeof frameKinds)[number];

export const momentStatuses = ["waiting", "extracting", "done", "failed", "undone"] as const;

const maxStepMs = 3_600_000;
const maxMarginMs = 600_000;
const maxRecordings = 100;

/** A time of a recording, published by its pattern, because nanoseconds are no date-time. */
const time = (which: string) =>
  moment().meta({
    format: undefined,
    pattern: "^\\d{1,19}$|^\\d{4}-",
    description: `${which}: nanoseconds since 1970 as text, or an ISO 8601 time.`,
  });

const firstOnly = "Takes the first frame of each topic only.";
const rate = {
  /** Milliseconds between two frames of a topic; 0 takes all. */
  every_ms: z.int().min(0).max(maxStepMs).default(0),
  /** Adds the range as one MCAP file, beside the frames. */
  clip: z.boolean().default(false),
};

const range = z.object({
  recording_id: uid("recording"),
  from: time("The beginning"),
  to: time("The end"),
  topics: distinct(nonBlank(), 100)
    .optional()
    .describe("Default: all cameras, else all point clouds; none beside a clip."),
  ...rate,
  first: z.boolean().default(false).describe(firstOnly),
});
const exampleUid = "0199c0de-7a11-7000-8000-000000000001";
const rangeExample = {
  recording_id: `rec_${exampleUid}`,
  from: "2026-01-31T12:00:00Z",
  to: "2026-01-31T12:00:05Z",
  every_ms: 200,
};

/** A range of a recording and what of it becomes items. Without `topics`, all cameras, else all point clouds. */
export const MomentRange = range.meta({ example: rangeExample });
export type MomentRange = z.output<typeof MomentRange>;

const note = text().default("");

/** A range whose frames become items, and where it was found. */
const addition = range.extend({
  alert_id: uid("alert").optional(),
  event_id: uid("event").optional(),
  rule_id: uid("rule").optional(),
  note,
});
export const AddMoment = addition.meta({ example: rangeExample });
export type AddMoment = z.output<typeof AddMoment>;

const sources = {
  alerts: distinct(uid("alert"), maxNamed, 1).optional().describe("The uids of alerts."),
  events: distinct(uid("event"), maxNamed, 1).optional().describe("The uids of events."),
  recordings: distinct(uid("recording"), maxRecordings, 1).optional().describe("The uids of recordings, all of each."),
  rule_id: uid("rule").optional().describe("The uid of a rule, all of its hits."),
};
const isOneSource = (value: Partial<Record<keyof typeof sources, unknown>>): boolean =>
  Object.keys(sources).filter((name) => value[name as keyof typeof sources] !== undefined).length === 1;
const oneSource = {
  error: "Name exactly one of alerts, events, recordings and rule_id.",
  // What is wrong with the members themselves comes first.
  when: ({ issues }: { issues: readonly unknown[] }) => issues.length === 0,
};
const example = { alerts: [`alt_${exampleUid}`], before_ms: 1_000 };

const many = z.object({
  ...sources,
  kinds: distinct(choice(frameKinds), frameKinds.length).default(["image"]),
  /** Milliseconds before and after each moment. */
  before_ms: z.int().min(0).max(maxMarginMs).default(0),
  after_ms: z.int().min(0).max(maxMarginMs).default(1_000),
  ...rate,
  first: z.boolean().default(true).describe(firstOnly),
});

/** Many moments and what of each becomes items. */
export const MomentSelection = many.refine(isOneSource, oneSource).meta({ example });
export type MomentSelection = z.output<typeof MomentSelection>;
export const AddMoments = many.extend({ note }).refine(isOneSource, oneSource).meta({ example });
export type AddMoments = z.output<typeof AddMoments>;

export const MomentPath = DatasetPath.extend({ uid: uid() });
export const DatasetMomentFilters = z.object(longPage());
export const MomentFilters = DatasetMomentFilters.extend({ dataset: uid() });
export type MomentFilters = z.output<typeof MomentFilters>;

/** Inputs of the dashboard, which names a dataset by its uid. */
const dataset = uid();
export const PreviewInput = range.extend({ dataset: dataset.optional() });
export const PreviewManyInput = many.extend({ dataset: dataset.optional() }).refine(isOneSource, oneSource);
export const AddInput = addition.extend({ dataset });
export const AddManyInput = many.extend({ note, dataset }).refine(isOneSource, oneSource);
export const MomentUid = z.object({ uid: uid() });
const marked = <K extends "alert" | "event" | "recording">(kind: K) => distinct(uid(kind), maxNamed).optional();
export const MarkedObjects = z.object({
  alerts: marked("alert"),
  events: marked("event"),
  recordings: marked("recording"),
});
export type MarkedObjects = z.output<typeof MarkedObjects>;
/** A dataset that is made for what is added to it first. */
export const NewTarget = z.object({ name: nonBlank(255), data_type: choice(dataTypes).default("image") });
export type NewTarget = z.output<typeof NewTarget>;
export const TargetFilters = z.object({ search: text(255).default("") });
export type TargetFilters = z.output<typeof TargetFilters>;
