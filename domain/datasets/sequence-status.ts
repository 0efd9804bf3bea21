import type { SequenceStatus } from "@/domain/datasets/schema";

/** The states of a sequence as people read them: those that items have, by the same words, and the steps of longer work. */
export const sequenceStatusLabels: Readonly<Record<SequenceStatus, string>> = {
  unattempted: "untouched",
  pending: "being read",
  ready_for_annotation: "ready",
  labeling_4d: "labelling in 4-D",
  review_4d: "review in 4-D",
  ready_for_2d: "ready for 2-D",
  labeling_2d: "labelling in 2-D",
  review_2d: "review in 2-D",
  final_review: "final review",
  completed: "submitted",
  rework_required: "rework",
  customer_approved: "accepted",
};
