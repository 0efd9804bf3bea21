import { addressValue, filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A result as the queue shows it. */
export type ReviewedResult = Outputs["results"]["queue"]["results"][number];
/** A task with its last results, as the stage needs them. */
export type ReviewedTask = Outputs["tasks"]["editor"];
export type StoredResult = ReviewedTask["earlier"][number];
export type ShapePair = Outputs["results"]["compare"][number];

type QueueInput = Inputs["results"]["queue"];

/** Rows a page. */
const pageSize = 100;

/** The queue's query for what the address holds; the server's prefetch and the browser must use the same. */
export function queueInput(project: string, values: AddressValues): QueueInput {
  return {
    project,
    sort: addressValue(values, "sort") === "newest" ? "newest" : "oldest",
    ...filterInput(["by", "label", "sample"], values),
    limit: pageSize,
  };
}
