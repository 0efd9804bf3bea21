/** By the last test: it found nothing, it found something, or none was made yet. */
export const bucketStates = ["working", "failing", "untested"] as const;
export type BucketState = (typeof bucketStates)[number];
