import { z } from "zod";
import { issueKinds, issueStates } from "@/domain/tasks/issue-schema";

export const IssueCommentResource = z.object({
  uid: z.string(),
  by: z.string(),
  text: z.string(),
  created_at: z.string(),
});
export type IssueCommentResource = z.output<typeof IssueCommentResource>;

export const IssueResource = z.object({
  uid: z.string(),
  task: z.string(),
  project: z.string(),
  /** The result that it was found in. */
  result: z.string().nullable(),
  /** Of the task, from 1 on. */
  round: z.int(),
  shape: z.string().nullable(),
  /** In pixels from the top left. */
  point: z.tuple([z.number(), z.number()]).nullable(),
  kind: z.enum(issueKinds),
  text: z.string(),
  state: z.enum(issueStates),
  by: z.string(),
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
  /** The oldest first. */
  comments: z.array(IssueCommentResource),
  created_at: z.string(),
  updated_at: z.string(),
});
export type IssueResource = z.output<typeof IssueResource>;
