import { z } from "zod";
import { choice, list, text, uid } from "@/domain/fields";
import { maxNamed } from "@/domain/limits";
import { HeldTask, NextTask } from "@/domain/tasks/labelling-schema";

/** Why nobody labels an item. */
export const skipReasons = ["damaged", "unclear", "wrong_data", "other"] as const;
export type SkipReason = (typeof skipReasons)[number];

export const skipReasonLabels: Readonly<Record<SkipReason, string>> = {
  damaged: "Damaged",
  unclear: "Unclear",
  wrong_data: "Wrong data",
  other: "Other",
};

const fields = z.object({
  lease: HeldTask.shape.lease.optional(),
  reason: choice(skipReasons).describe("Why nobody labels it."),
  text: text(1_000).describe("More about it; needed for `other`.").default(""),
});
const isExplained = ({ reason, text: more }: { reason: SkipReason; text: string }) =>
  reason !== "other" || more.trim() !== "";
const explain = { path: ["text"], error: "Say why." };

/** Leaves a task out. With the lease of who has it; without one only while nobody else works on it. */
export const SkipTask = fields.refine(isExplained, explain).meta({ example: { reason: "damaged" } });
export type SkipTask = z.output<typeof SkipTask>;

/** With `next`, the next task is leased in the same transaction: any, or one of a project. */
export const SkipAndNext = fields.extend({ uid: uid(), next: NextTask.optional() }).refine(isExplained, explain);
export type SkipAndNext = z.output<typeof SkipAndNext>;

/** Many tasks, each with the reason for which nobody labels it. */
export const SkipTasks = z.object({
  tasks: list(fields.omit({ lease: true }).extend({ uid: uid() }).refine(isExplained, explain), maxNamed),
});
export type SkipTasks = z.output<typeof SkipTasks>;
