export const alertStatuses = ["open", "acknowledged", "resolved"] as const;
export type AlertStatus = (typeof alertStatuses)[number];

/** The statuses of alerts that still need attention. */
export const unresolvedStatuses = ["open", "acknowledged"] as const satisfies readonly AlertStatus[];

/** Why an alert was resolved. A rule's noise is its share of `false_alarm`. */
export const resolutionReasons = ["fixed", "expected", "false_alarm", "duplicate"] as const;
export type ResolutionReason = (typeof resolutionReasons)[number];

/** The tabs of the inbox: by status, with separate ones for silenced and snoozed alerts. */
export const inboxTabs = [...alertStatuses, "silenced"] as const;
export type InboxTab = (typeof inboxTabs)[number];

export const inboxOrders = ["severity", "newest"] as const;
export type InboxOrder = (typeof inboxOrders)[number];
export const inboxGroupings = ["rule", "device"] as const;
export type InboxGrouping = (typeof inboxGroupings)[number];

/** The device of an alert without one, such as a test alert. */
export const noDevice = "test";
