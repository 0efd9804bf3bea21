import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A row of the recording list. */
export type RecordingRow = Outputs["recordings"]["overview"]["results"][number];

const filterKeys = [
  "device_id",
  "status",
  "tags",
  "has_event",
  "has_topic",
  "since",
  "until",
  "demo",
  "started_since",
  "started_until",
  "covers",
  "search",
  "ordering",
] as const satisfies readonly (keyof Inputs["recordings"]["overview"])[];

/** Rows per page. */
const pageSize = 100;

/** The list's own order: by when they were recorded, since robots upload late and out of order. */
export const ownOrdering = "-started_at";

/** The list's query for the filters in the address; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["recordings"]["overview"] => ({
  ordering: ownOrdering,
  ...filterInput(filterKeys, values),
  limit: pageSize,
});

/** What a recording is called: its own name, else its device's and when it began. */
export const recordingTitle = ({
  name,
  device_name,
  started_at,
}: Pick<RecordingRow, "name" | "device_name" | "started_at">): string =>
  name || `${device_name} ${started_at.slice(0, 16).replace("T", " ")} UTC`;
