import { z } from "zod";
import { conditionSchema } from "@/domain/conditions/condition-schema";
import { conditionTypes } from "@/domain/conditions/registry";
import { choices, commaList, list, nonBlank, pageFields, queryBoolean, text, uid } from "@/domain/fields";
import { fleetPageSize, maxNamed, maxRunbookLength } from "@/domain/limits";
import { publishedAs } from "@/domain/published";
import { actionsSchema } from "@/domain/rules/actions";
import { scopeSchema } from "@/domain/rules/scope";
import { timestamp } from "@/domain/time/fields";
export { conditionTypes } from "@/domain/conditions/registry";
export const runStatuses = ["pending", "running", "done", "failed"] as const;
export const evaluationStatuses = ["evaluated", "not_applicable", "error"] as const;

const fields = {
  name: nonBlank(255),
  description: text(),
  /** Read by whoever has one of its alerts. */
  runbook: text(maxRunbookLength).describe("What to do, as Markdown or a link."),
  owner: nonBlank(255).nullable().describe("Username or uid of a member, or `me`."),
  enabled: z.boolean(),
  condition: conditionSchema,
  actions: actionsSchema,
  scope: scopeSchema,
  /** Why this version was created; stored with it. */
  note: text(1_000),
};

export const CreateRule = z.object({
  name: fields.name,
  description: fields.description.optional(),
  /** Additive: what to do about its alerts, and who answers for it. */
  runbook: fields.runbook.optional(),
  owner: fields.owner.optional(),
  enabled: fields.enabled.optional(),
  condition: fields.condition,
  actions: fields.actions,
  scope: fields.scope.optional(),
  note: fields.note.optional(),
  /** Additive: part of the demo fleet, which is removed as a whole. */
  demo: z.boolean().optional(),
});
export type CreateRule = z.output<typeof CreateRule>;

/** A change of condition, actions or scope makes a new version. */
export const UpdateRule = z.object({
  name: fields.name.optional(),
  description: fields.description.optional(),
  runbook: fields.runbook.optional(),
  owner: fields.owner.optional(),
  enabled: fields.enabled.optional(),
  condition: fields.condition.optional(),
  actions: fields.actions.optional(),
  scope: fields.scope.optional(),
  note: fields.note.optional(),
});
export type UpdateRule = z.output<typeof UpdateRule>;

export const RuleFilters = z.object({
  enabled: queryBoolean().optional(),
  condition_type: choices(conditionTypes).optional(),
  /** Additive: part of the name. */
  search: text(255).optional(),
  demo: queryBoolean().optional(),
  ...pageFields(),
});
export type RuleFilters = z.output<typeof RuleFilters>;

export const RuleUid = z.object({ uid: uid("rule") });
const versionNumber = publishedAs(
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number),
  z.int().min(1),
);
export const RuleVersionUid = z.object({ uid: uid("rule"), version: versionNumber });
export const RuleRunUid = z.object({ uid: uid("rule"), run_uid: uid() });
export const PreviewRunUid = z.object({ uid: uid() });

export const PageOnly = z.object(pageFields());
export type PageOnly = z.output<typeof PageOnly>;

export const EvaluationFilters = z.object({ status: choices(evaluationStatuses).optional(), ...pageFields() });
export type EvaluationFilters = z.output<typeof EvaluationFilters>;

const range = {
  recordings: list(uid("recording"), maxNamed).optional(),
  since: timestamp().optional(),
  until: timestamp().optional(),
};

/** Which recordings: the ones listed, or those that began in `[since, until)`; default: the 20 recorded last. */
export const PreviewRule = z.object({
  condition: fields.condition,
  scope: fields.scope.optional(),
  ...range,
  recordings: range.recordings.describe("Default the 20 recorded last in scope."),
  since: range.since.describe("Those that began then or later."),
  until: range.until.describe("Those that began before."),
  /** Additive: a saved rule to compare with. */
  rule_id: uid("rule").optional().describe("A rule to compare with."),
  /** Additive: `hit_count` counts all of them. */
  max_hits: z.int().min(0).max(1_000).optional(),
});
export type PreviewRule = z.output<typeof PreviewRule>;

/** A condition about heartbeats, evaluated on those of the last days. */
export const PreviewLiveRule = PreviewRule.pick({ condition: true, scope: true });
export type PreviewLiveRule = z.output<typeof PreviewLiveRule>;

/** Which past recordings a saved rule is applied to: the ones listed, those created in a range, or all. */
export const RunRule = z.object({
  ...range,
  since: range.since.describe("Only recordings that were created then or later."),
  until: range.until.describe("Only recordings that were created before."),
});
export type RunRule = z.output<typeof RunRule>;

/** Whole days counted back from now. */
const days = publishedAs(
  z
    .string()
    .regex(/^\d{1,3}$/, { error: "A valid integer is required." })
    .transform(Number)
    .refine((value) => value >= 1 && value <= 365, { error: "Ensure this value is between 1 and 365." }),
  z.int().min(1).max(365),
);
export const NoiseFilters = z.object({ days: days.optional() });
export type NoiseFilters = z.output<typeof NoiseFilters>;

export const ActivityRequest = z.object({
  uids: z.array(uid("rule")).max(fleetPageSize.max),
  days: z.int().min(1).max(90).default(30),
});
export type ActivityRequest = z.output<typeof ActivityRequest>;

/** Additive filters of the topic catalogue; several devices or groups widen it, tags narrow it. */
export const TopicFilters = z.object({
  device_id: commaList().optional(),
  group_id: commaList().optional(),
  tags: commaList().optional(),
  q: text(255).optional(),
  ...pageFields(),
});
export type TopicFilters = z.output<typeof TopicFilters>;

export const ScopeRequest = z.object({ scope: fields.scope.optional() });
