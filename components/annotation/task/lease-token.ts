/**
 * The token of a task's lease in this browser, at once for whichever tab gets the lock; where tabs cannot exclude each other
 * it belongs to the tab. What survives a killed browser is kept with the draft.
 */

const toKey = (user: string, task: string): string => `muster.lease:${user}:${task}`;

const getPlace = (): Storage => ("locks" in navigator ? localStorage : sessionStorage);

export function readToken(user: string, task: string): string | null {
  try {
    return getPlace().getItem(toKey(user, task));
  } catch {
    return null;
  }
}

/** Keeps it, null removes it; without storage a reload takes the task over from itself. */
export function writeToken(user: string, task: string, token: string | null): void {
  try {
    if (token === null) getPlace().removeItem(toKey(user, task));
    else getPlace().setItem(toKey(user, task), token);
  } catch {
    // See above.
  }
}
