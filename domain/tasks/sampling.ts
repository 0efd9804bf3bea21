/**
 * A number from 0 to 100, less than 100, for a uid: always the same for the same one, and spread evenly over uids that
 * were made one after the other. FNV-1a, mixed as murmur3 ends.
 */
export function toPercentile(uid: string): number {
  let hash = 0x811c9dc5;
  for (const character of uid) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * 100;
}

/** Whether reviewers look at a result of a project that reviews so many of a hundred. */
export const isSampled = (uid: string, share: number): boolean => toPercentile(uid) < share;
