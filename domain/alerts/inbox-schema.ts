import { z } from "zod";
import { inboxGroupings, inboxOrders, inboxTabs } from "@/domain/alerts/lifecycle";
import { AlertCountFilters, BulkAlerts } from "@/domain/alerts/schema";
import { ShownRows } from "@/domain/demo/schema";
import { pageFields, severityList, uid } from "@/domain/fields";
import { fleetPageSize, maxNamed } from "@/domain/limits";
import { severities } from "@/domain/severity";
import { moment } from "@/domain/time/fields";

/** What a tab can be narrowed to. */
export const InboxFilters = AlertCountFilters.extend({
  severity: severityList().optional(),
  since: moment().optional(),
  until: moment().optional(),
});
export type InboxFilters = z.output<typeof InboxFilters>;

export const InboxRequest = InboxFilters.extend({
  tab: z.enum(inboxTabs).default("open"),
  /**
   * `severity`: the worst first, then the newest; open alerts that are the caller's own or unassigned come before those
   * of others.
   */
  order: z.enum(inboxOrders).default("severity"),
  ...pageFields(),
});
export type InboxRequest = z.output<typeof InboxRequest>;

/** A tab under filters. */
export const TabFilters = InboxFilters.extend({ tab: z.enum(inboxTabs).default("open") });
export type TabFilters = z.output<typeof TabFilters>;

/** An alert, and the tab that it was opened from. */
export const NeighbourRequest = ShownRows.extend({ uid: uid("alert"), tab: z.enum(inboxTabs) });
export type NeighbourRequest = z.output<typeof NeighbourRequest>;

export const GroupRequest = TabFilters.extend({ by: z.enum(inboxGroupings) });
export type GroupRequest = z.output<typeof GroupRequest>;

/**
 * One action on the alerts of a tab under these filters, `limit` of them and the rest from `cursor` on; `newest` excludes
 * those that arrived after the page was shown.
 */
export const BulkMatching = BulkAlerts.omit({ uids: true }).extend({
  tab: z.enum(inboxTabs),
  filters: InboxFilters,
  newest: uid("alert").optional(),
  limit: z.int().min(1).max(maxNamed).default(maxNamed),
  cursor: pageFields().cursor,
});
export type BulkMatching = z.output<typeof BulkMatching>;

export const OccurrenceRequest = z.object({ uids: z.array(uid("alert")).max(fleetPageSize.max) });
export type OccurrenceRequest = z.output<typeof OccurrenceRequest>;

export const TestAlert = z.object({
  severity: z.enum(severities),
  channel_ids: z.array(uid("channel")).max(50),
});
export type TestAlert = z.output<typeof TestAlert>;
