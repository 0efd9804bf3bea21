import { addressValue, filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A result as the queue shows it. */
export type ReviewedResult = Outputs["results"]["queue"]["results"][number];
/** A task with its last results, as the stage needs them. */
export type ReviewedTask = Outputs["tasks"]["editor"];
export type StoredResult = ReviewedTask["earlier"][number];
export type ShapePair = Outputs["results"]["compare"][number];

type QueueInput = Inputs["results"]["queue"];

export const reviewOrders = ["oldest", "newest", "issues"] as const satisfies readonly QueueInput["sort"][];

/** Rows a page. */
const pageSize = 100;

/** The queue's query for what the address holds; the server's prefetch and the browser must use the same. */
export function queueInput(project: string, values: AddressValues): QueueInput {
  const wanted = addressValue(values, "sort");
  return {
    project,
    sort: reviewOrders.find((order) => order === wanted) ?? "oldest",
    ...filterInput(["state", "by", "label", "issues", "sample"], values),
    limit: pageSize,
  };
}
