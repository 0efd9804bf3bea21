import { z } from "zod";
import type { Condition } from "@/domain/conditions/condition";
import { nodeSchema } from "@/domain/conditions/condition-schema";
import { describeCondition } from "@/domain/conditions/describe";
import { publishedAs } from "@/domain/published";
import { actionSchema } from "@/domain/rules/actions";
import { conditionTypes, evaluationStatuses, runStatuses } from "@/domain/rules/schema";
import { scopeSchema } from "@/domain/rules/scope";

const json = z.record(z.string(), z.unknown());

// Responses are not checked against today's schemas, because those of the past may have stored more.
const condition = publishedAs(z.record(z.string(), z.unknown()), nodeSchema);
const action = publishedAs(z.record(z.string(), z.unknown()), actionSchema);
const scope = publishedAs(z.record(z.string(), z.unknown()).nullable(), scopeSchema);

/** A rule in REST and tRPC. `condition`, `actions` and `scope` are as their author sent them, operators by name. */
export const RuleResource = z.object({
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  condition,
  actions: z.array(action),
  scope,
  hit_count: z.int(),
  last_hit_at: z.string().nullable(),
  version: z.int(),
  builtin: z.boolean(),
  condition_type: z.enum(conditionTypes),
  /** The condition in plain words. */
  condition_text: z.string(),
  /** Who made it; null for built-in rules. Members may change only their own rules. */
  created_by_uid: z.string().nullable(),
  /** Username of the last author; empty for built-in rules. */
  updated_by: z.string(),
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type RuleResource = z.output<typeof RuleResource>;

/** One rule with warnings for its author: topics that were never recorded, fields that hold no numbers. */
export const RuleDetail = RuleResource.extend({ warnings: z.array(z.string()) });
export type RuleDetail = z.output<typeof RuleDetail>;

export const RuleVersionResource = z.object({
  version: z.int(),
  condition,
  condition_text: z.string(),
  actions: z.array(action),
  scope,
  note: z.string(),
  created_by: z.string(),
  created_at: z.string(),
});
export type RuleVersionResource = z.output<typeof RuleVersionResource>;

export const ActionResult = z.object({ type: z.string(), ok: z.boolean(), detail: z.string().optional() });
export type ActionResult = z.output<typeof ActionResult>;

export const EvaluationResource = z.object({
  recording_id: z.string(),
  recording_name: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  version: z.int(),
  status: z.enum(evaluationStatuses),
  reason: z.string(),
  hit_count: z.int(),
  suppressed: z.int(),
  storm: z.boolean(),
  notes: z.array(z.string()),
  duration_ms: z.int(),
  run_id: z.string().nullable(),
  action_results: z.array(ActionResult),
  evaluated_at: z.string(),
});
export type EvaluationResource = z.output<typeof EvaluationResource>;

/** One trigger; times to the millisecond, and the trigger exactly as a decimal string of nanoseconds. */
const hitFields = {
  started_at: z.string(),
  triggered_at: z.string(),
  ended_at: z.string(),
  triggered_ns: z.string(),
  peak: z.number().nullable(),
  evidence: json,
};
export const HitResource = z.object({ recording_id: z.string(), device_id: z.string(), ...hitFields });
export type HitResource = z.output<typeof HitResource>;

export const NoiseResource = z.object({
  days: z.int(),
  hit_count: z.int(),
  hits_per_day: z.number(),
  alert_count: z.int(),
  resolved_count: z.int(),
  false_alarm_count: z.int(),
  /** Share of the resolved alerts that were false alarms, 0..1; null with none resolved. */
  false_alarm_share: z.number().nullable(),
  /** Triggers by day (UTC, message time), oldest first. */
  daily: z.array(z.object({ date: z.string(), hits: z.int() })),
});
export type NoiseResource = z.output<typeof NoiseResource>;

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

/** The state of a run; `result` only for a completed preview. */
export const RunResource = z.object({
  run_uid: z.string(),
  kind: z.enum(["preview", "apply"]),
  rule_id: z.string().nullable(),
  rule_version: z.int().nullable(),
  status: z.enum(runStatuses),
  progress: z.number(),
  total: z.int(),
  processed: z.int(),
  hit_count: z.int(),
  error: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type RunResource = z.output<typeof RunResource>;
export const PreviewRunResource = RunResource.extend({ result: PreviewResult.nullable() });
export type PreviewRunResource = z.output<typeof PreviewRunResource>;

export const RunStarted = z.object({ run_uid: z.string() });

/** The result of a preview, or the uid of the run that will have it. */
export const PreviewAnswer = z.union([PreviewResult, RunStarted]);
export type PreviewAnswer = z.output<typeof PreviewAnswer>;

export const TopicField = z.object({
  path: z.string(),
  kind: z.string(),
  unit: z.string().optional(),
  min: z.number().nullable().optional(),
  max: z.number().nullable().optional(),
  /** The median in the newest recording, approximate. */
  p50: z.number().nullable().optional(),
  p99: z.number().nullable().optional(),
  last: z.number().nullable().optional(),
  values: z.unknown().optional(),
});
export type TopicField = z.output<typeof TopicField>;
export const TopicResource = z.object({
  name: z.string(),
  schema: z.string(),
  encoding: z.string(),
  frequency_hz: z.number(),
  /** Devices in scope that recorded it, and all devices in scope. */
  device_count: z.int(),
  devices_total: z.int(),
  recording_id: z.string(),
  fields: z.array(TopicField),
});
export type TopicResource = z.output<typeof TopicResource>;

export const ScopeMatch = z.object({
  device_count: z.int(),
  devices: z.array(z.object({ uid: z.string(), name: z.string() })),
});
export type ScopeMatch = z.output<typeof ScopeMatch>;

/** A stored condition in words; one that the current schema refuses is shown by its type. */
export function conditionText(condition: unknown): string {
  try {
    return describeCondition(condition as Condition);
  } catch {
    return String((condition as { type?: unknown }).type ?? "");
  }
}
