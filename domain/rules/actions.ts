import { z } from "zod";
import type { Condition } from "@/domain/conditions/condition";
import { heartbeatTopic, readsHeartbeats } from "@/domain/conditions/heartbeat";
import { eventTypes } from "@/domain/events/event-type";
import { atMost, blank, longerThan, expects, expectsChoice, expectsType } from "@/domain/field-messages";
import type { Issue } from "@/domain/issues";
import { severities } from "@/domain/severity";

export const actionTypes = ["tag", "create_event", "flag_for_review", "notify", "auto_label"] as const;

const maxActions = 50;
const maxTagLength = 100;
const maxTextLength = 4096;
const maxUidLength = 100;

const text = (max: number) =>
  z
    .string({ error: expects("Not a valid string.") })
    .refine((value) => value.trim() !== "", { error: blank })
    .refine((value) => !longerThan(value, max), { error: atMost(max) });
const severity = z.enum(severities, { error: expectsChoice }).optional();

export const tagSchema = z.object({ type: z.literal("tag"), value: text(maxTagLength) });
export const createEventSchema = z.object({
  type: z.literal("create_event"),
  event_type: z.enum(eventTypes, { error: expectsChoice }),
  label: text(maxTextLength),
  severity,
});
export const flagForReviewSchema = z.object({ type: z.literal("flag_for_review"), severity });
export const notifySchema = z.object({ type: z.literal("notify"), channel_id: text(maxUidLength), severity });
/** `pipeline_id` is the uid of a model's integration. */
export const autoLabelSchema = z.object({ type: z.literal("auto_label"), pipeline_id: text(maxUidLength) });

export const actionSchema = z.discriminatedUnion(
  "type",
  [tagSchema, createEventSchema, flagForReviewSchema, notifySchema, autoLabelSchema],
  { error: expectsType(actionTypes) },
);
export type Action = z.infer<typeof actionSchema>;

/** What a rule on heartbeats can do: the others need a recording. */
const liveActionTypes: readonly (typeof actionTypes)[number][] = ["notify", "flag_for_review"];

/** The actions that a rule with this condition cannot take. */
export const listUnfitActions = (condition: Condition, actions: readonly { type?: unknown }[]): Issue[] =>
  actions.flatMap(({ type }, index) =>
    readsHeartbeats(condition) && !liveActionTypes.some((fit) => fit === type)
      ? [
          {
            path: ["actions", index, "type"],
            message: `A rule on ${heartbeatTopic} can only ${liveActionTypes.join(" or ")}.`,
          },
        ]
      : [],
  );

/** What a rule does at each trigger, in this order. */
export const actionsSchema = z
  .array(actionSchema, { error: expects("Expected a list of actions.") })
  .min(1, { error: "This list may not be empty." })
  .max(maxActions, { error: `Ensure this list has no more than ${maxActions} items.` });
