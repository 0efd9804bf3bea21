export const channelTypes = ["slack", "email", "webhook", "pagerduty", "teams"] as const;
export type ChannelType = (typeof channelTypes)[number];
