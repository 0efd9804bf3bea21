export const alertStatuses = ["open", "acknowledged", "resolved"] as const;
export type AlertStatus = (typeof alertStatuses)[number];

/** Those that somebody still has to do something about. */
export const unresolvedStatuses = ["open", "acknowledged"] as const satisfies readonly AlertStatus[];

/** Why an alert was resolved, as the person who did so put it. A rule's noise is its share of `false_alarm`. */
export const resolutionReasons = ["fixed", "expected", "false_alarm", "duplicate"] as const;
export type ResolutionReason = (typeof resolutionReasons)[number];

/** The tabs of the inbox: by status, and apart from them what a silence mutes or a person put to sleep. */
export const inboxTabs = [...alertStatuses, "silenced"] as const;
export type InboxTab = (typeof inboxTabs)[number];

export const inboxOrders = ["severity", "newest"] as const;
export type InboxOrder = (typeof inboxOrders)[number];
export const inboxGroupings = ["rule", "device"] as const;
export type InboxGrouping = (typeof inboxGroupings)[number];

/** The device of an alert that is about none: a test. */
export const noDevice = "test";
