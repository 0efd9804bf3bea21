/** The status of a message to a channel; `canceled` ones were withdrawn before they were sent. */
export const deliveryStatuses = ["pending", "delivered", "failed", "canceled"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The combined status of an alert's messages: failed when any is, else pending while any is; none without any. */
export const deliveryStates = ["none", "pending", "delivered", "failed"] as const;
