import { addressValue, filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import { queueTabNames, type QueueTabName } from "@/domain/tasks/queue-schema";
import { skipReasonLabels } from "@/domain/tasks/skip-schema";

/** A task as the list of tasks shows it. */
export type QueuedTask = Outputs["tasks"]["queue"]["results"][number];

const filterKeys = [
  "project",
  "state",
  "assignee",
  "batch",
  "q",
] as const satisfies readonly (keyof Inputs["tasks"]["queue"])[];

/** Rows per page. */
const pageSize = 100;

/** The list's query for what the address holds; the server's prefetch and the browser must use the same. */
export function listInput(values: AddressValues, otherwise: QueueTabName = "mine"): Inputs["tasks"]["queue"] {
  const wanted = addressValue(values, "list");
  return {
    ...filterInput(filterKeys, values),
    tab: queueTabNames.find((name) => name === wanted) ?? otherwise,
    limit: pageSize,
  };
}

/** Why a task was skipped: "Skipped as damaged: the lens is covered". */
export const describeSkip = ({ skip_reason: reason, skip_text: text }: Pick<QueuedTask, "skip_reason" | "skip_text">) =>
  `Skipped${reason === null ? "" : ` as ${skipReasonLabels[reason].toLowerCase()}`}${text === "" ? "" : `: ${text}`}`;

export const taskHref = (uid: string): string => `/tasks/${uid}`;
