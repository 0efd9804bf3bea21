/** Part size of uploads to a bucket, in bytes: a part is held in memory, so that it can be sent again. */
export const partBytes = 8 * 1024 ** 2;

/** S3's limit of parts of an object. */
const maxParts = 10_000;

/** The size of the parts of an object, each but the last, in bytes. */
export const getPartSize = (sizeBytes: number): number => Math.max(partBytes, Math.ceil(sizeBytes / maxParts));
