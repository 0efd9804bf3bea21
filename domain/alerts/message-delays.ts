/** Delay of messages in milliseconds, so that an undone action sends nothing. Critical alerts are not delayed. */
const undoWindowMs = 8_000;

/** How long the message of a new alert waits at most for the pictures of its recording, in milliseconds. */
const pictureWaitMs = { critical: 10_000, others: 30_000 } as const;

export const toUndoWindow = (severity: string): number => (severity === "critical" ? 0 : undoWindowMs);

export const toPictureWait = (severity: string): number =>
  severity === "critical" ? pictureWaitMs.critical : pictureWaitMs.others;
