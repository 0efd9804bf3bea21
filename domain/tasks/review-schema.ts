import { z } from "zod";
import { choice, list, longPage, text, uid } from "@/domain/fields";
import { DecideResult, decisions, resultStatuses, SubmitResult } from "@/domain/tasks/schema";

/** Two results of a task. */
export const CompareResults = z.object({ a: uid(), b: uid() });
export type CompareResults = z.output<typeof CompareResults>;

const note = text(2_048).optional();

/** What a result should have been. */
export const ReviseResult = SubmitResult.extend({
  note,
  key: uid().describe("Made up by the client; the same in a repeated request."),
}).meta({
  example: {
    annotations: [{ label: "car", type: "bbox", coordinates: { x: 10, y: 20, width: 100, height: 50 } }],
    key: "3f2a5c1e-8b7d-4e6f-9a0b-1c2d3e4f5a6b",
  },
});
export type ReviseResult = z.output<typeof ReviseResult>;

export const ReopenResult = z.object({ note });
export type ReopenResult = z.output<typeof ReopenResult>;

/** As many results as one request decides. */
export const maxDecided = 1_000;

export const DecideResults = DecideResult.extend({
  uids: list(uid(), maxDecided, 1).meta({
    description: "The results.",
    examples: [["018f0000-0000-7000-8000-000000000001"]],
  }),
  decision: choice(decisions).describe("What becomes of all of them."),
});
export type DecideResults = z.output<typeof DecideResults>;

/** Of a project that reviews a share: what reviewers decide, or what waits until they did. */
export const sampleFilters = ["sample", "rest", "all"] as const;

/** Newest first among those with as many open issues. */
const reviewOrders = ["oldest", "newest", "issues"] as const;

/** Results of tasks about which something is open. */
const issueFilters = ["open"] as const;

/** The results of a project that wait for a decision, or have one. */
export const ReviewFilters = z.object({
  project: uid(),
  state: choice(resultStatuses).default("submitted"),
  /** Username of who submitted it. */
  by: text(255).optional(),
  label: text(100).optional(),
  issues: choice(issueFilters).optional(),
  /** `sample` by default, where a share is reviewed. */
  sample: choice(sampleFilters).optional(),
  sort: choice(reviewOrders).default("oldest"),
  ...longPage(),
});
export type ReviewFilters = z.output<typeof ReviewFilters>;
