import type { Inputs } from "@/components/trpc/client";

/** The items that a change concerns: those chosen one by one, or all of a filter, as many as were counted. */
export type BulkSelection = { uids: readonly string[] } | { filter: string; expected: number };

export const countSelected = (selection: BulkSelection): number =>
  "uids" in selection ? selection.uids.length : selection.expected;

/** What the server takes. */
export const toInput = (dataset: string, selection: BulkSelection): Inputs["items"]["deleteMany"] =>
  "uids" in selection
    ? { dataset, uids: [...selection.uids] }
    : { dataset, filter: selection.filter, expected: selection.expected };

/** The items as a filter, for what takes one. */
export const toFilter = (selection: BulkSelection): string =>
  "uids" in selection ? `uid IN (${selection.uids.join(", ")})` : selection.filter;

/** The address of the page that exports the items. */
export const exportHref = (dataset: string, selection: BulkSelection): string =>
  `/exports/new?${new URLSearchParams({ datasets: dataset, filter_query_string: toFilter(selection) }).toString()}`;
