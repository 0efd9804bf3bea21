import { listLeaves } from "@/domain/conditions/condition";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { conditionKinds } from "@/domain/conditions/registry";
import { heartbeatTopic } from "@/domain/conditions/topics";
import { isConditionDraft } from "./conditions/condition-draft";

/** A rule while it is being written: the same JSON that is saved, possibly incomplete. */

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

/** Whether it names devices, groups or tags, rather than all devices. */
export const isNarrow = (scope: ScopeDraft | null): boolean =>
  [scope?.device_ids, scope?.group_ids, scope?.tags].some((list) => list && list.length > 0);

/** Whether a condition is about heartbeats, which are in no recording. */
export const isOnHeartbeats = (condition: ConditionDraft): boolean =>
  listLeaves(condition).some(({ topic }) => topic === heartbeatTopic);

export interface RuleDraft {
  name: string;
  description: string;
  /** Markdown, or the address of a page. */
  runbook: string;
  /** A username. */
  owner: string | null;
  condition: ConditionDraft;
  actions: ActionDraft[];
  scope: ScopeDraft | null;
}

/** A saved condition, to be shown or edited. It is as its author sent it, valid by the schema of that time. */
export const toConditionDraft = (saved: unknown): ConditionDraft => saved as ConditionDraft;

/** The same for actions. */
export const toActionDrafts = (saved: readonly unknown[]): ActionDraft[] => saved as ActionDraft[];

/** What a new rule begins with. */
export const emptyDraft: RuleDraft = {
  name: "",
  description: "",
  runbook: "",
  owner: null,
  condition: conditionKinds.threshold.initial,
  actions: [{ type: "flag_for_review", severity: "warning" }],
  scope: null,
};

/** The rule of an address such as `/rules/new?condition=…`: invalid parts are left out. */
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
    ...(isConditionDraft(condition) && { condition }),
    ...(isObject(scope) && { scope }),
  };
}
