import { addressValue, filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";
import { inboxGroupings, inboxOrders, inboxTabs, type InboxGrouping } from "@/domain/alerts/lifecycle";

/** An alert as lists have it. */
export type Alert = Outputs["alerts"]["inbox"]["results"][number];
/** With what was found. */
export type AlertDetail = Outputs["alerts"]["get"];
/** A storm as one row. */
export type AlertGroup = Outputs["alerts"]["groups"]["results"][number];
/** The target of an action: one alert, or all alerts of a group's row. */
export type Target = { kind: "alert"; alert: Alert } | { kind: "group"; group: AlertGroup; by: InboxGrouping };
export type Counts = Outputs["alerts"]["inboxCounts"];

type Filters = Inputs["alerts"]["inboxCounts"];

/** Every filter of the inbox: one that is missing here does not compile. The screen offers none by channel. */
const filters = {
  severity: true,
  device_id: true,
  rule_id: true,
  recording_id: true,
  assignee: true,
  since: true,
  until: true,
  demo: true,
  q: true,
} satisfies Record<Exclude<keyof Filters, "channel_id">, true>;

export type FilterKey = keyof typeof filters;

export const filterKeys = Object.keys(filters);

/** Rows per page. */
const pageSize = 50;

/** The filters of an address as every procedure of the inbox takes them: its lists, groups and the counts of its tabs. */
export const alertFilters = (values: AddressValues): Filters => filterInput(filterKeys, values);

/** The tab of the inbox that lists an alert. */
export const toTab = ({ status, silenced, snoozed_until }: Pick<Alert, "status" | "silenced" | "snoozed_until">) =>
  status !== "resolved" && (silenced || snoozed_until !== null) ? "silenced" : status;

const parseOneOf = <Option extends string>(options: readonly Option[], value: string | null): Option | undefined =>
  options.find((option) => option === value);

/** The list's query for the filters in the address; the server's prefetch and the browser must use the same. */
export function inboxInput(values: AddressValues): Inputs["alerts"]["inbox"] {
  const tab = parseOneOf(inboxTabs, addressValue(values, "status")) ?? "open";
  const order = parseOneOf(inboxOrders, addressValue(values, "order")) ?? "severity";
  return { ...alertFilters(values), tab, order, limit: pageSize };
}

/** What `?group=` may be; without it the list is grouped where many alerts are of one rule. */
export const groupChoices = [...inboxGroupings, "none"] as const;
export type GroupChoice = (typeof groupChoices)[number];

/** The grouping that was chosen; undefined where nobody chose. */
export function parseGrouping(values: AddressValues): InboxGrouping | null | undefined {
  const choice = parseOneOf(groupChoices, addressValue(values, "group"));
  return choice === "none" ? null : choice;
}

/** A tab under the filters in the address. */
export const tabInput = (values: AddressValues): Inputs["alerts"]["suggestedGrouping"] => ({
  ...alertFilters(values),
  tab: parseOneOf(inboxTabs, addressValue(values, "status")) ?? "open",
});

export const groupInput = (values: AddressValues, by: InboxGrouping): Inputs["alerts"]["groups"] => ({
  ...tabInput(values),
  by,
});
