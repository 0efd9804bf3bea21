import { z } from "zod";
import { toSaved } from "@/domain/conditions/condition";
import { nodeSchema } from "@/domain/conditions/condition-schema";
import { describeCondition } from "@/domain/conditions/describe";
import { readGuess, type ReadMeaning } from "@/domain/conditions/metric";
import { publishedAs } from "@/domain/published";
import { actionSchema } from "@/domain/rules/actions";
import { hitFields, PreviewResult } from "@/domain/rules/preview";
import { conditionTypes, evaluationStatuses, runStatuses } from "@/domain/rules/schema";
import { scopeSchema } from "@/domain/rules/scope";
import { signalTypes } from "@/engine/signals/signal-types";

// Responses are not checked against today's schemas, because those of the past may have stored more.
const condition = publishedAs(z.record(z.string(), z.unknown()), nodeSchema);
const action = publishedAs(z.record(z.string(), z.unknown()), actionSchema);
const scope = publishedAs(z.record(z.string(), z.unknown()).nullable(), scopeSchema);

/** A rule in REST and tRPC. `condition`, `actions` and `scope` are as their author sent them, operators by name. */
export const RuleResource = z.object({
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  /** What to do about its alerts: Markdown, or the address of a page; empty for none. */
  runbook: z.string(),
  /** The username of the member who answers for it; null for nobody. */
  owner: z.string().nullable(),
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

export const HitResource = z.object({
  recording_id: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  ...hitFields,
});
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

/**
 * What a page evaluates a preview over itself: the recordings with where the columns of their topics lie. Null where the
 * server has to.
 */
export const PreviewColumns = z
  .object({
    recordings: z.array(
      z.object({
        uid: z.string(),
        name: z.string(),
        device_id: z.string(),
        device_name: z.string(),
        started_at: z.string(),
        ended_at: z.string(),
        /** Why it cannot be evaluated. */
        reason: z.string().nullable(),
        /** The facts of the topics that conditions name; null with a reason. */
        facts: z
          .object({
            start_ns: z.string(),
            end_ns: z.string(),
            truncated: z.boolean(),
            topics: z.array(
              z.object({
                topic: z.string(),
                message_count: z.int(),
                median_period_ns: z.string().nullable(),
                undecodable: z.string().optional(),
              }),
            ),
          })
          .nullable(),
        /** Files of signals, to be read below /media/signals/. */
        files: z.array(
          z.object({
            topic: z.string(),
            version: z.string(),
            size_bytes: z.number(),
            fields: z.array(z.object({ path: z.string(), type: z.enum(signalTypes) })),
          }),
        ),
        units: z.array(z.object({ topic: z.string(), path: z.string(), unit: z.string() })),
      }),
    ),
    /** The topics, or patterns of topics, that the conditions name. */
    topics: z.array(z.string()),
    /** The rule to compare with. */
    saved: z.object({ uid: z.string(), version: z.int(), condition: z.record(z.string(), z.unknown()) }).nullable(),
    warnings: z.array(z.string()),
  })
  .nullable();
export type PreviewColumns = z.output<typeof PreviewColumns>;

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
export function conditionText(condition: unknown, read: ReadMeaning = readGuess): string {
  try {
    return describeCondition(toSaved(condition), read);
  } catch {
    return String((condition as { type?: unknown }).type ?? "");
  }
}
