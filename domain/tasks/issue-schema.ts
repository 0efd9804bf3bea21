import { z } from "zod";
import { choice, choices, list, longPage, nonBlank, text, uid } from "@/domain/fields";
import { DecideResult } from "@/domain/tasks/schema";

export const issueKinds = [
  "wrong_label",
  "wrong_place",
  "missing",
  "extra",
  "wrong_attribute",
  "question",
  "other",
] as const;
export type IssueKind = (typeof issueKinds)[number];

export const issueStates = ["open", "resolved"] as const;

const coordinate = z.number().min(-1e7).max(1e7);

/** What is wrong with a task, or asked about it. */
export const NewIssue = z.object({
  kind: choice(issueKinds).describe("What is wrong."),
  text: text(4_096).describe("More about it.").default(""),
  shape: uid().describe("The id of the shape that it is about, as its attribute `id` says.").optional(),
  point: z
    .tuple([coordinate, coordinate])
    .describe("Where it is in the picture, in pixels from the top left.")
    .optional(),
});
export type NewIssue = z.output<typeof NewIssue>;

export const UpdateIssue = z.object({ state: choice(issueStates).describe("Whether it is settled.") });
export type UpdateIssue = z.output<typeof UpdateIssue>;

export const NewIssueComment = z.object({ text: nonBlank(4_096).describe("The comment.") });
export type NewIssueComment = z.output<typeof NewIssueComment>;

export const IssueFilters = z.object({ state: choices(issueStates).optional(), ...longPage() });
export type IssueFilters = z.output<typeof IssueFilters>;

/** A rejection: why, and what is wrong where. */
export const RejectResult = DecideResult.extend({
  issues: list(NewIssue, 100).describe("What is wrong, as issues of the task.").default([]),
});
export type RejectResult = z.output<typeof RejectResult>;

export const IssueUid = z.object({ uid: uid() });
