/** What a test of a bucket tries, in this order. */
export const storageChecks = ["reach", "list", "write", "read", "delete", "multipart"] as const;
export type StorageCheckName = (typeof storageChecks)[number];

/** The checks that decide whether a bucket is verified; the others say what will not work. */
const verifying: readonly StorageCheckName[] = ["reach", "list"];

/** Why a test was made: the bucket was connected, a person asked, the day passed, or its credentials were replaced. */
export const testOrigins = ["connected", "by_hand", "daily", "rotated"] as const;
export type TestOrigin = (typeof testOrigins)[number];

/** For each bucket, the results of this many tests are retained. */
export const retainedTests = 100;

interface Checked {
  name: StorageCheckName;
  /** Null: it was not tried, because an earlier one failed. */
  ok: boolean | null;
}

export const isVerified = (checks: readonly Checked[]): boolean =>
  verifying.every((name) => checks.some((check) => check.name === name && check.ok));

export const hasPassed = (checks: readonly Checked[]): boolean => checks.every(({ ok }) => ok);
