import { z } from "zod";
import { evaluationStatuses } from "@/domain/rules/schema";

/** One trigger; times to the millisecond, and the trigger exactly as a decimal string of nanoseconds. */
export const hitFields = {
  started_at: z.string(),
  triggered_at: z.string(),
  ended_at: z.string(),
  triggered_ns: z.string(),
  peak: z.number().nullable(),
  evidence: z.record(z.string(), z.unknown()),
};
export const PreviewHit = z.object({
  ...hitFields,
  /** Only when compared with a saved rule: whether that one found it too. */
  change: z.enum(["new", "kept"]).optional(),
});
export type PreviewHit = z.output<typeof PreviewHit>;

const Span = z.object({
  started_at: z.string(),
  triggered_at: z.string(),
  ended_at: z.string(),
  triggered_ns: z.string(),
});
/** What a condition found in one recording. */
export const PreviewRecording = z.object({
  recording_id: z.string(),
  recording_name: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  started_at: z.string(),
  ended_at: z.string(),
  status: z.enum(evaluationStatuses),
  reason: z.string().optional(),
  hit_count: z.int(),
  suppressed: z.int(),
  storm: z.boolean(),
  notes: z.array(z.string()),
  /** Truncated when there are very many; `hit_count` counts all. */
  hits: z.array(PreviewHit),
  /** The hits of the saved rule that this condition does not have. */
  lost: z.array(Span).optional(),
});
export type PreviewRecording = z.output<typeof PreviewRecording>;

/** What a condition found in past recordings. */
export const PreviewResult = z.object({
  recordings: z.array(PreviewRecording),
  hit_count: z.int(),
  /** Devices with at least one hit, and all devices of the evaluated recordings. */
  device_count: z.int(),
  devices_total: z.int(),
  hits_per_day: z.number(),
  longest_seconds: z.number().nullable(),
  condition_text: z.string(),
  /** The message that an alert of the first hit would have; null without a hit. Runs of earlier versions lack it. */
  example_message: z.string().nullable().optional(),
  warnings: z.array(z.string()),
  compare: z
    .object({ rule_id: z.string(), version: z.int(), new_count: z.int(), lost_count: z.int(), kept_count: z.int() })
    .optional(),
});
export type PreviewResult = z.output<typeof PreviewResult>;
