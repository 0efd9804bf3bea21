/**
 * Words and figures that screens and server share; without schemas, so that a page that only names them stays small.
 */

/** A heartbeat is due every `intervalSeconds`; a device silent for `offlineAfterSeconds` is offline. */
export const heartbeatTiming = { intervalSeconds: 30, offlineAfterSeconds: 90 } as const;
