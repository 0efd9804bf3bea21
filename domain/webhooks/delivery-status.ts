export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

/** The states in which a list shows webhooks: `turned_off` by Muster, `off` by a person. */
export const webhookStates = ["on", "failing", "turned_off", "off"] as const;
export type WebhookState = (typeof webhookStates)[number];

export const replayStatuses = ["running", "done", "stopped"] as const;

/** The maximum of deliveries that one replay sends; the next one continues with the rest. */
export const maxReplayed = 10_000;
