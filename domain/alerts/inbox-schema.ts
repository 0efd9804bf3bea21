import { z } from "zod";
import { AlertCountFilters, BulkAlerts } from "@/domain/alerts/schema";
import { commaList, pageFields, parseDateTimeNs, uid } from "@/domain/fields";
import { severities, severityRanks, type Severity } from "@/domain/severity";

export const inboxTabs = ["open", "acknowledged", "resolved", "silenced"] as const;
export type InboxTab = (typeof inboxTabs)[number];

export const inboxOrders = ["severity", "newest"] as const;
export const groupings = ["rule", "device"] as const;
export type Grouping = (typeof groupings)[number];

const spans: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time, or how long before now: `-24h`. What is relative stays so in an address and is read when the list is. */
const moment = () =>
  z.string().transform((value, issues) => {
    const relative = /^-(\d{1,5})([mhdw])$/.exec(value.trim());
    if (relative) return new Date(Date.now() - Number(relative[1]) * (spans[relative[2] ?? ""] ?? 0));
    const ns = parseDateTimeNs(value);
    if (ns !== null) return new Date(Number(ns / 1_000_000n));
    issues.addIssue({ code: "custom", message: "Enter a time, or how long ago, such as -24h." });
    return z.NEVER;
  });

/** Severities, or the least of them: `critical,error` or `>=error`. */
const severityList = () =>
  commaList().transform((list, issues): Severity[] => {
    const chosen = new Set<Severity>();
    for (const entry of list) {
      const least = severities.find((each) => entry === `>=${each}`);
      const exact = severities.find((each) => entry === each);
      if (least) for (const each of severities) if (severityRanks[each] >= severityRanks[least]) chosen.add(each);
      if (exact) chosen.add(exact);
      if (least ?? exact) continue;
      issues.addIssue({ code: "custom", message: `"${entry}" is not a valid choice.` });
      return z.NEVER;
    }
    return [...chosen];
  });

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
   * `severity`: the worst first, then the newest; of the open ones the caller's own and nobody's before those of
   * others.
   */
  order: z.enum(inboxOrders).default("severity"),
  ...pageFields(),
});
export type InboxRequest = z.output<typeof InboxRequest>;

export const GroupRequest = InboxFilters.extend({ tab: z.enum(inboxTabs).default("open"), by: z.enum(groupings) });
export type GroupRequest = z.output<typeof GroupRequest>;

/** One action on everything a tab holds under these filters; `newest` leaves out what came after the person looked. */
export const BulkMatching = BulkAlerts.omit({ uids: true }).extend({
  tab: z.enum(inboxTabs),
  filters: InboxFilters,
  newest: uid("alt_").optional(),
});
export type BulkMatching = z.output<typeof BulkMatching>;

export const OccurrenceRequest = z.object({ uids: z.array(uid("alt_")).max(200) });
export type OccurrenceRequest = z.output<typeof OccurrenceRequest>;

export const TestAlert = z.object({
  severity: z.enum(severities),
  channel_ids: z.array(uid("ch_")).max(50),
});
export type TestAlert = z.output<typeof TestAlert>;
