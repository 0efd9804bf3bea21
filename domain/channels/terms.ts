/**
 * Words and figures that screens and server share; without schemas, so that a page that only names them stays small.
 */

export const channelTypes = ["slack", "email", "webhook", "pagerduty", "teams"] as const;
export type ChannelType = (typeof channelTypes)[number];
