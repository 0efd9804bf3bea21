import { addressValue, filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A row of the event list. */
export type EventRow = Outputs["events"]["overview"]["results"][number];

const filterKeys = [
  "type",
  "severity",
  "device_id",
  "recording_id",
  "tags",
  "metadata_filter",
  "since",
  "until",
  "demo",
] as const satisfies readonly (keyof Inputs["events"]["overview"])[];

/** Rows per page. */
const pageSize = 100;

/** The list's query for the filters in the address; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["events"]["overview"] => ({
  ...filterInput(filterKeys, values),
  order_by: addressValue(values, "order_by") === "timestamp" ? "timestamp" : "-timestamp",
  limit: pageSize,
});

/** The histogram's query for the same. */
export const histogramInput = (values: AddressValues): Inputs["events"]["histogram"] => filterInput(filterKeys, values);
