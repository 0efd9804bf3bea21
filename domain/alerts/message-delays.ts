/** How long the message of a new alert waits, in milliseconds, so that a silence can still stop it; a critical one does not. */
const newAlertMs = 8_000;

/** How long the message of a change waits, in milliseconds, so that nobody learns of one that is undone. */
const changeMs = 10_000;

/** How long the message of a new alert waits at most for the pictures of its recording, in milliseconds. */
const pictureWaitMs = { critical: 10_000, others: 30_000 } as const;

/** What decides how long a message waits; `isNew` when it tells of the alert for the first time. */
interface Waiting {
  isNew: boolean;
  severity: string;
}

export const toDelay = ({ isNew, severity }: Waiting): number =>
  !isNew ? changeMs : severity === "critical" ? 0 : newAlertMs;

export const toPictureWait = (severity: string): number =>
  severity === "critical" ? pictureWaitMs.critical : pictureWaitMs.others;
