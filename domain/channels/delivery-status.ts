/** How a message to a channel fares; `canceled` ones were taken back before they were sent. */
export const deliveryStatuses = ["pending", "delivered", "failed", "canceled"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** How far the messages of an alert came: failed when any did, else pending while any is; none without any. */
export const deliveryStates = ["none", "pending", "delivered", "failed"] as const;
