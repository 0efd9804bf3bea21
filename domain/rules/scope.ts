import { z } from "zod";
import { atMost, blank, longerThan, expects } from "@/domain/field-messages";
import type { Action } from "@/domain/rules/actions";

const maxIds = 1000;
const maxTags = 100;
const maxLength = 100;

const item = z
  .string({ error: expects("Not a valid string.") })
  .refine((value) => value.trim() !== "", { error: blank })
  .refine((value) => !longerThan(value, maxLength), { error: atMost(maxLength) });
const items = (max: number) =>
  z
    .array(item, { error: expects("Expected a list of items.") })
    .max(max, { error: `Ensure this list has no more than ${max} items.` })
    .optional();

/** The devices a rule watches; null and an empty object mean all of them. */
export const scopeSchema = z
  .object(
    { device_ids: items(maxIds), group_ids: items(maxIds), tags: items(maxTags) },
    { error: "Expected an object." },
  )
  .nullable();
export type Scope = z.infer<typeof scopeSchema>;

export interface ScopedDevice {
  uid: string;
  groupUids: readonly string[];
  tags: readonly string[];
}

/** Whether a rule watches a device: listed itself or by a group (or nothing is listed), and with every required tag. */
export function inScope(scope: Scope, device: ScopedDevice): boolean {
  const { device_ids: devices = [], group_ids: groups = [], tags = [] } = scope ?? {};
  const named =
    (devices.length === 0 && groups.length === 0) ||
    devices.includes(device.uid) ||
    device.groupUids.some((group) => groups.includes(group));
  return named && tags.every((tag) => device.tags.includes(tag));
}

export interface RuleReferences {
  channelIds: string[];
  deviceIds: string[];
  groupIds: string[];
  pipelineIds: string[];
}

/** The distinct objects that a rule refers to, for the caller to check in its organization. */
export function listReferences(actions: readonly Action[], scope: Scope): RuleReferences {
  const unique = (ids: readonly string[] | undefined) => [...new Set(ids)];
  return {
    channelIds: unique(actions.flatMap((action) => (action.type === "notify" ? [action.channel_id] : []))),
    deviceIds: unique(scope?.device_ids),
    groupIds: unique(scope?.group_ids),
    pipelineIds: unique(actions.flatMap((action) => (action.type === "auto_label" ? [action.pipeline_id] : []))),
  };
}
