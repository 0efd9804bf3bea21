/** A rule while it is being written: the very JSON that is saved, parts of it not there yet. */

export const conditionTypes = ["threshold", "pattern", "frequency", "absence", "composite"] as const;
export type ConditionType = (typeof conditionTypes)[number];

export type Scalar = number | string | boolean;

/** A condition in the making. Members of other kinds are dropped when its type changes. */
export interface ConditionDraft {
  type: ConditionType;
  topic?: string;
  field?: string;
  field_mode?: string;
  operator?: string;
  value?: Scalar | Scalar[];
  window?: string;
  recover?: { operator?: string; value?: Scalar | Scalar[] };
  regex?: string;
  count_operator?: string;
  count?: number;
  timeout?: string;
  conditions?: ConditionDraft[];
  hold?: string;
  keep_for?: string;
  cooldown?: string;
  timestamp_source?: string;
}

export interface ActionDraft {
  type: "tag" | "create_event" | "flag_for_review" | "notify" | "auto_label";
  value?: string;
  event_type?: string;
  label?: string;
  severity?: string;
  channel_id?: string;
  pipeline_id?: string;
}

export interface ScopeDraft {
  device_ids?: string[];
  group_ids?: string[];
  tags?: string[];
}

export interface RuleDraft {
  name: string;
  description: string;
  condition: ConditionDraft;
  actions: ActionDraft[];
  scope: ScopeDraft | null;
}

export const maxDepth = 5;
export const maxLeaves = 20;

/** What a new rule begins with. */
export const emptyDraft: RuleDraft = {
  name: "",
  description: "",
  condition: { type: "threshold", topic: "", field: "", operator: "gt" },
  actions: [{ type: "flag_for_review", severity: "warning" }],
  scope: null,
};

const fresh: Record<ConditionType, ConditionDraft> = {
  threshold: { type: "threshold", topic: "", field: "", operator: "gt" },
  pattern: { type: "pattern", topic: "", field: "", regex: "" },
  frequency: { type: "frequency", topic: "", count_operator: "gt", window: "10s" },
  absence: { type: "absence", topic: "", timeout: "10s" },
  composite: { type: "composite", operator: "and", conditions: [] },
};

/**
 * The condition as another kind: topic and field stay where the kind has them; a single one becomes the first of a
 * combination.
 */
export function withType(condition: ConditionDraft, type: ConditionType): ConditionDraft {
  if (condition.type === type) return condition;
  if (type === "composite") return { type, operator: "and", conditions: [{ ...condition, cooldown: undefined }] };
  if (condition.type === "composite") {
    const first = condition.conditions?.find((child) => child.type === type) ?? condition.conditions?.[0];
    return first ? withType(first, type) : fresh[type];
  }
  const { topic, field, keep_for, cooldown } = condition;
  return {
    ...fresh[type],
    topic,
    ...("field" in fresh[type] && { field: field ?? "" }),
    ...(keep_for !== undefined && { keep_for }),
    ...(cooldown !== undefined && { cooldown }),
  };
}

/** A condition to add to a combination. */
export const freshCondition = (type: ConditionType): ConditionDraft =>
  type === "composite" ? { ...fresh.composite, conditions: [fresh.threshold] } : { ...fresh[type] };

const filled = (text: string | undefined): boolean => text !== undefined && text.trim() !== "";

/** Whether the condition has all that it needs to be tried; what is wrong with what it has, the server says. */
export function isComplete(condition: ConditionDraft): boolean {
  switch (condition.type) {
    case "threshold":
      return (
        filled(condition.topic) && filled(condition.field) && condition.value !== undefined && condition.value !== ""
      );
    case "pattern":
      return filled(condition.topic) && filled(condition.field) && filled(condition.regex);
    case "frequency":
      return filled(condition.topic) && condition.count !== undefined && filled(condition.window);
    case "absence":
      return filled(condition.topic) && filled(condition.timeout);
    case "composite":
      return (condition.conditions?.length ?? 0) > 0 && (condition.conditions ?? []).every(isComplete);
  }
}

/** Without members that are undefined or empty text, as it is sent. */
export function tidy(condition: ConditionDraft): ConditionDraft {
  const entries = Object.entries(condition).filter(
    ([key, value]) => value !== undefined && (value !== "" || key === "value"),
  );
  const result = Object.fromEntries(entries) as unknown as ConditionDraft;
  if (result.conditions) result.conditions = result.conditions.map(tidy);
  return result;
}

/** Single conditions in reading order. */
export const leavesOf = (condition: ConditionDraft): ConditionDraft[] =>
  condition.type === "composite" ? (condition.conditions ?? []).flatMap(leavesOf) : [condition];

/** What was typed as the value it means: a number where it is one exactly, true and false, else text. */
export function parseScalar(text: string): Scalar {
  const trimmed = text.trim();
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return text;
  const number = Number(trimmed);
  // Beyond 2^53 digits would be lost; as text they are compared exactly.
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : trimmed;
}

/** The rule of an address such as `/rules/new?condition=…`: what cannot be read is left out. */
export function draftFrom(parameters: URLSearchParams): RuleDraft {
  const json = (name: string): unknown => {
    try {
      return JSON.parse(parameters.get(name) ?? "null") as unknown;
    } catch {
      return null;
    }
  };
  const condition = json("condition");
  const scope = json("scope");
  const isObject = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    ...emptyDraft,
    name: parameters.get("name") ?? "",
    ...(isObject(condition) &&
      conditionTypes.includes((condition as ConditionDraft).type) && { condition: condition as ConditionDraft }),
    ...(isObject(scope) && { scope }),
  };
}
