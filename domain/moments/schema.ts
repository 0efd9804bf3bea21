import { z } from "zod";
import { dataTypes } from "@/domain/datasets/schema";
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

const rate = {
  /** Milliseconds between two frames of a topic; 0 takes all. */
  every_ms: z.int().min(0).max(maxStepMs).default(0),
  /** Adds the range as one MCAP file, beside the frames. */
  clip: z.boolean().default(false),
};

/** A range of a recording and what of it becomes items. Without `topics`, all cameras, else all point clouds. */
export const MomentRange = z.object({
  recording_id: uid("recording"),
  from: moment(),
  to: moment(),
  topics: distinct(nonBlank(), 100).optional(),
  ...rate,
  /** Takes the first frame of each topic only. */
  first: z.boolean().default(false),
});
export type MomentRange = z.output<typeof MomentRange>;

const note = text().default("");

/** A range whose frames become items, and where it was found. */
export const AddMoment = MomentRange.extend({
  alert_id: uid("alert").optional(),
  event_id: uid("event").optional(),
  rule_id: uid("rule").optional(),
  note,
});
export type AddMoment = z.output<typeof AddMoment>;

const sources = {
  alerts: distinct(uid("alert"), maxNamed, 1).optional(),
  events: distinct(uid("event"), maxNamed, 1).optional(),
  /** All of each recording. */
  recordings: distinct(uid("recording"), maxRecordings, 1).optional(),
  /** All hits of this rule. */
  rule_id: uid("rule").optional(),
};
const isOneSource = (value: Partial<Record<keyof typeof sources, unknown>>): boolean =>
  Object.keys(sources).filter((name) => value[name as keyof typeof sources] !== undefined).length === 1;
const oneSource = { error: "Name exactly one of alerts, events, recordings and rule_id." };

const many = z.object({
  ...sources,
  kinds: distinct(choice(frameKinds), frameKinds.length).default(["image"]),
  /** Milliseconds before and after each moment. */
  before_ms: z.int().min(0).max(maxMarginMs).default(0),
  after_ms: z.int().min(0).max(maxMarginMs).default(1_000),
  ...rate,
  /** Takes the first frame of each topic only. */
  first: z.boolean().default(true),
});

/** Many moments and what of each becomes items. */
export const MomentSelection = many.refine(isOneSource, oneSource);
export type MomentSelection = z.output<typeof MomentSelection>;
export const AddMoments = many.extend({ note }).refine(isOneSource, oneSource);
export type AddMoments = z.output<typeof AddMoments>;

export const MomentFilters = z.object({ dataset: uid(), ...longPage() });
export type MomentFilters = z.output<typeof MomentFilters>;

/** Inputs of the dashboard, which names a dataset by its uid. */
const dataset = uid();
export const PreviewInput = MomentRange.extend({ dataset: dataset.optional() });
export const PreviewManyInput = many.extend({ dataset: dataset.optional() }).refine(isOneSource, oneSource);
export const AddInput = AddMoment.extend({ dataset });
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
