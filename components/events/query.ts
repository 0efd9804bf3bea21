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
] as const;

type Values = Readonly<Record<string, string | string[] | null | undefined>>;

function filtersOf(values: Values): Record<string, string> {
  const input: Record<string, string> = {};
  for (const key of filterKeys) {
    const value = values[key];
    const text = Array.isArray(value) ? value[0] : value;
    if (text) input[key] = text;
  }
  return input;
}

/** Rows fetched at once. */
const pageSize = 100;

/** The list's query for what stands in the address; the server's prefetch and the browser must ask the very same. */
export function listInput(values: Values): Inputs["events"]["overview"] {
  const oldest = values.order_by === "timestamp";
  return { ...filtersOf(values), order_by: oldest ? "timestamp" : "-timestamp", limit: pageSize };
}

/** The histogram's query for the same. */
export const histogramInput = (values: Values): Inputs["events"]["histogram"] => filtersOf(values);

/** The cursor of the page after this one. */
export const nextPage = (page: { next: string | null }): string | undefined => page.next ?? undefined;
