export const deviceStatuses = ["online", "offline", "maintenance"] as const;
export type DeviceStatus = (typeof deviceStatuses)[number];

/** A heartbeat is due every `intervalSeconds`; a device silent for `offlineAfterSeconds` is offline. */
export const heartbeatTiming = { intervalSeconds: 30, offlineAfterSeconds: 90 } as const;
