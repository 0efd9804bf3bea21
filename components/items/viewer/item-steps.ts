/** Where steps from an item lead, and how many of them are left. */
interface Walked {
  /** The item to go to; null to stay. */
  to: string | null;
  left: number;
}

/**
 * Goes steps from one item to those around it, as far as these are known; a negative number goes back. Steps beyond them are
 * left for when more are known, and none are once they are complete.
 */
export function walk(uids: readonly string[], from: string, steps: number, isComplete: boolean): Walked {
  const at = uids.indexOf(from);
  if (at < 0) return { to: null, left: isComplete ? 0 : steps };
  const place = Math.max(0, Math.min(uids.length - 1, at + steps));
  const to = place === at ? null : (uids[place] ?? null);
  // Around the item that was gone to there may be more.
  const left = to === null && isComplete ? 0 : steps - (place - at);
  return { to, left };
}
