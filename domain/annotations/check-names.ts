/** What may be doubtful about a draft. */
export const checkNames = [
  "unknown_label",
  "retired_label",
  "required_attribute",
  "unanswered_tag",
  "too_small",
  "outside",
  "twice",
] as const;
export type CheckName = (typeof checkNames)[number];

/** What nobody submits: a result names its labels. */
export const blockingChecks: readonly CheckName[] = ["unknown_label", "retired_label"];
