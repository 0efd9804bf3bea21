/** Milliseconds. Robots upload late: what is found this long after it was triggered is shown with both times. */
const lateMs = 60_000;

/** Whether an alert was found so long after it was triggered that the time of the one says nothing of the other. */
export const isFoundLate = (found: string, triggered: string): boolean =>
  Date.parse(found) - Date.parse(triggered) >= lateMs;
