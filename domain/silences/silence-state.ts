export const silenceStates = ["scheduled", "active", "expired"] as const;
export type SilenceState = (typeof silenceStates)[number];
