import type { Inputs, Outputs } from "@/components/trpc/client";
import { inboxGroupings, inboxOrders, inboxTabs, type InboxGrouping } from "@/domain/alerts/lifecycle";

/** An alert as lists have it. */
export type Alert = Outputs["alerts"]["inbox"]["results"][number];
/** With what was found. */
export type AlertDetail = Outputs["alerts"]["get"];
/** A storm as one row. */
export type AlertGroup = Outputs["alerts"]["groups"]["results"][number];
export type Counts = Outputs["alerts"]["inboxCounts"];

export const filterKeys = [
  "severity",
  "device_id",
  "rule_id",
  "recording_id",
  "assignee",
  "since",
  "until",
  "q",
] as const;

/** Rows fetched at once. */
export const pageSize = 50;

type Values = Readonly<Record<string, string | string[] | null | undefined>>;

const first = (value: string | string[] | null | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null;

/** The filters of an address as the procedures take them. */
export function filterInput(values: Values): Inputs["alerts"]["inboxCounts"] {
  const input: Record<string, string> = {};
  for (const key of filterKeys) {
    const value = first(values[key]);
    if (value) input[key] = value;
  }
  return input;
}

const oneOf = <Word extends string>(words: readonly Word[], value: string | null): Word | undefined =>
  words.find((word) => word === value);

/** The list's query for what stands in the address; the server's prefetch and the browser must ask the very same. */
export function inboxInput(values: Values): Inputs["alerts"]["inbox"] {
  const tab = oneOf(inboxTabs, first(values.status)) ?? "open";
  const order = oneOf(inboxOrders, first(values.order)) ?? "severity";
  return { ...filterInput(values), tab, order, limit: pageSize };
}

/** What stands in the address about grouping, or null for a plain list. */
export const groupingOf = (values: Values): InboxGrouping | null => oneOf(inboxGroupings, first(values.group)) ?? null;

export function groupInput(values: Values, by: InboxGrouping): Inputs["alerts"]["groups"] {
  return { ...filterInput(values), tab: oneOf(inboxTabs, first(values.status)) ?? "open", by };
}

/** The cursor of the page after this one. */
export const nextPage = (page: { next: string | null }): string | undefined => page.next ?? undefined;
