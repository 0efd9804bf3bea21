export const itemStatuses = [
  "unattempted",
  "pending",
  "ready_for_annotation",
  "in_progress",
  "completed",
  "rework_required",
  "customer_approved",
] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/** The states of an item as people read them. */
export const itemStatusLabels: Readonly<Record<ItemStatus, string>> = {
  unattempted: "untouched",
  pending: "being read",
  ready_for_annotation: "ready",
  in_progress: "in work",
  completed: "submitted",
  rework_required: "rework",
  customer_approved: "accepted",
};

export const isItemStatus = (word: string): word is ItemStatus => Object.hasOwn(itemStatusLabels, word);

/** The state that a word names: its own, or that of people in any case. Undefined for none. */
export const findItemStatus = (word: string): ItemStatus | undefined =>
  itemStatuses.find((status) => status === word || itemStatusLabels[status] === word.toLowerCase());
